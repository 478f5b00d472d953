import { describe, expect, it } from 'vitest';
import { DocumentQueue } from './DocumentQueue.js';

describe('DocumentQueue', () => {
  it('runs the calls of one document in their order, and those of others meanwhile', async () => {
    const queue = new DocumentQueue();
    const order: string[] = [];
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = queue.run(new Set(['a', 'b']), async () => {
      await gate;
      order.push('first');
    });
    const second = queue.run(new Set(['b']), async () => void order.push('second'));
    await queue.run(new Set(['c']), async () => void order.push('other'));
    expect(order).toEqual(['other']);
    release();
    await Promise.all([first, second]);
    expect(order).toEqual(['other', 'first', 'second']);
  });

  it('goes on after a call that fails', async () => {
    const queue = new DocumentQueue();
    const failing = queue.run(new Set(['a']), () => Promise.reject(new Error('no')));
    const next = queue.run(new Set(['a']), async () => 'done');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
  });
});
