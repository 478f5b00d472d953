import { describe, expect, it } from 'vitest';
import { openTestStorage } from '../openTestStorage.test.support.js';
import { WriteBarrier } from './WriteBarrier.js';

const AT = { index: 'shop', collection: 'things' };

describe('WriteBarrier', () => {
  it('has nothing to wait for while nothing is written', () => {
    const barrier = new WriteBarrier();
    expect(barrier.unobserved()).toBeUndefined();
    expect(barrier.all()).toBeUndefined();
  });

  it('waits for what has begun, not for what begins later', async () => {
    const barrier = new WriteBarrier();
    const order: string[] = [];
    const [first, second] = [barrier.begin(false), barrier.begin(false)];
    const waiting = barrier.unobserved()?.then(() => order.push('waited'));
    barrier.begin(false);
    first();
    await Promise.resolve();
    order.push('one ended');
    second();
    await waiting;
    expect(order).toEqual(['one ended', 'waited']);
  });

  it('waits for earlier writes also where later ones have ended', async () => {
    const barrier = new WriteBarrier();
    const early = barrier.begin(false);
    const first = barrier.unobserved();
    const late = barrier.begin(false);
    let isOver = false;
    const second = barrier.unobserved()?.then(() => (isOver = true));
    late();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    early();
    await Promise.all([first, second]);
    expect(barrier.unobserved()).toBeUndefined();
  });

  it('counts observed writes apart', async () => {
    const barrier = new WriteBarrier();
    const end = barrier.begin(true);
    expect(barrier.unobserved()).toBeUndefined();
    const all = barrier.all();
    expect(all).toBeDefined();
    end();
    await all;
  });

  it('counts a write of a document until the engine has answered (RESUME-2)', async () => {
    const { engine, container, run } = openTestStorage();
    const barrier = container.resolve(WriteBarrier);
    let waiting: Promise<void> | undefined;
    const seen: string[] = [];
    engine.beforeWrite = () => {
      waiting ??= barrier.unobserved()?.then(() => void seen.push('waited'));
    };
    const write = run('document.create', { ...AT, _id: 'a', body: {} }).then(() => seen.push('written'));
    await write;
    expect(waiting).toBeDefined();
    await waiting;
    expect(seen).toContain('waited');
    expect(barrier.unobserved()).toBeUndefined();
  });

  it.each([
    ['collection.truncate', 'truncate'],
    ['collection.delete', 'deleteCollection'],
    ['index.delete', 'deleteIndex'],
  ] as const)('counts %s until the engine has answered (RESUME-2)', async (action, method) => {
    const { engine, container, run } = openTestStorage();
    const barrier = container.resolve(WriteBarrier);
    await run('document.create', { ...AT, _id: 'a', body: {} });
    let waiting: Promise<void> | undefined;
    const remove = engine[method].bind(engine) as (at: never) => Promise<undefined>;
    Object.assign(engine, {
      [method]: (at: never) => {
        waiting = barrier.unobserved();
        return remove(at);
      },
    });
    await run(action, AT);
    expect(waiting).toBeDefined();
    await waiting;
    expect(barrier.unobserved()).toBeUndefined();
  });
});
