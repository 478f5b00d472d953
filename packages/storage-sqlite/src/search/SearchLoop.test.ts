import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { parseCount, parseSearch } from '@millrace/query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CancelFlags } from './CancelFlags.js';
import { SearchLoop } from './SearchLoop.js';
import type { FromSearchWorker, SearchTask, ToSearchWorker } from './SearchMessages.js';
import { TestCollection } from './TestCollection.test.support.js';

const COUNT = 50;
const { query } = parseSearch({});

/* The loop of the search thread on this thread; SearchThread.test.ts and the engine's tests run it in its own. */
describe('SearchLoop', () => {
  let things: TestCollection;
  let port: MessagePort;
  let flags: CancelFlags;
  let received: FromSearchWorker[];

  beforeEach(() => {
    things = new TestCollection().put(Object.fromEntries(Array.from({ length: COUNT }, (_, n) => [`d${n}`, { n }])));
    flags = new CancelFlags();
    received = [];
    const { port1, port2 } = new MessageChannel();
    port = port1;
    port.on('message', (messages: readonly FromSearchWorker[]) => received.push(...messages));
    const { databaseFile } = things;
    new SearchLoop(port2, { databaseFile, flags: flags.buffer, maxResultBytes: 20_000 });
  });
  afterEach(() => {
    port.close();
    things.close();
  });

  const send = (message: ToSearchWorker) => port.postMessage([message]);
  const answers = () => received.filter((message) => message.type === 'result' || message.type === 'failed');
  /** Sends a task. @returns its answer */
  const run = async (task: SearchTask) => {
    const before = answers().length;
    send({ type: 'task', slot: 0, task });
    await expect.poll(() => answers().length).toBe(before + 1);
    const answer = answers().at(-1);
    return answer?.type === 'result' ? answer.result.json : answer?.failure;
  };
  const count = (collectionNumber = 1) => run({ type: 'count', collectionNumber, query });

  it('answers tasks in their order, and reports its memory', async () => {
    for (const [slot, lt] of [5, 10, 15].entries()) {
      const asked = parseCount({ query: { range: { n: { lt } } } });
      send({ type: 'task', slot, task: { type: 'count', collectionNumber: 1, query: asked } });
    }
    await expect.poll(() => answers().length).toBe(3);
    expect(answers()).toMatchObject(
      ['5', '10', '15'].map((json, slot) => ({ type: 'result', slot, result: { json } })),
    );
    expect(received).toContainEqual({ type: 'memory', bytes: expect.any(Number) as number });
  });

  it('skips a task that was cancelled before it began', async () => {
    flags.cancel(0);
    expect(await count()).toEqual({ kind: 'cancelled' });
    flags.clear(0);
    expect(await count()).toBe(String(COUNT));
  });

  it('says why a task failed', async () => {
    const sorted = parseSearch({ sort: ['nowhere'], aggs: { a: { sum: { field: 'n', missing: 'x' } } } });
    expect(await run({ type: 'search', collectionNumber: 1, request: sorted })).toMatchObject({
      kind: 'invalid',
    });
    expect(await run({ type: 'nextPage', cursor: 9 })).toEqual({ kind: 'no_cursor' });
    expect(await run({ type: 'nextBatch', scan: 9 })).toEqual({ kind: 'no_cursor' });
    expect(await count(7)).toMatchObject({ kind: 'unavailable' });
    things.put({ big: { t: 'x'.repeat(30_000) } });
    const all = parseSearch({ size: 100 });
    expect(await run({ type: 'search', collectionNumber: 1, request: all })).toEqual({
      kind: 'result_too_large',
    });
    things.exec(`UPDATE docs_1 SET j = '{"n":7 }' WHERE id = 'd3'`);
    expect(
      await run({ type: 'search', collectionNumber: 1, request: parseSearch({ query: { term: { n: 3 } } }) }),
    ).toEqual({ kind: 'corrupt', index: 'shop', collection: 'things', id: 'd3' });
  });

  it('gives the pages of a cursor until it is closed or its collection dropped', async () => {
    const request = parseSearch({ size: 20, sort: ['n'] });
    for (const cursor of [1, 2])
      expect(await run({ type: 'openCursor', collectionNumber: 1, cursor, request })).toBe('null');
    const sizes = [];
    for (let page = 0; page < 4; page++) {
      await run({ type: 'nextPage', cursor: 1 });
      const { result } = answers().at(-1) as { result: { json: string } };
      sizes.push((JSON.parse(result.json) as { hits: unknown[] }).hits.length);
    }
    expect(sizes).toEqual([20, 20, 10, 0]);
    send({ type: 'closeCursor', cursor: 1 });
    expect(await run({ type: 'nextPage', cursor: 1 })).toEqual({ kind: 'no_cursor' });
    send({ type: 'drop', collectionNumber: 1 });
    expect(await run({ type: 'nextPage', cursor: 2 })).toEqual({ kind: 'no_cursor' });
  });

  it('gives the documents of a scan until it is closed', async () => {
    for (const scan of [1, 2]) await run({ type: 'openScan', collectionNumber: 1, scan, query });
    things.delete('d0');
    const batch = await run({ type: 'nextBatch', scan: 1 });
    expect(JSON.parse(batch as string)).toHaveLength(COUNT - 1);
    expect(await run({ type: 'nextBatch', scan: 1 })).toBe('null');
    send({ type: 'closeScan', scan: 2 });
    expect(await run({ type: 'nextBatch', scan: 2 })).toEqual({ kind: 'no_cursor' });
  });

  it('follows writes of a collection that is loaded, and builds one ahead of its first search', async () => {
    send({ type: 'warm', collectionNumber: 7 });
    send({ type: 'warm', collectionNumber: 1 });
    expect(await count()).toBe(String(COUNT));
    const caughtUp = () => received.filter(({ type }) => type === 'caughtUp').length;
    things.delete('d1').put({ new: { n: 1 } });
    send({ type: 'changed', collectionNumber: 1 });
    await expect.poll(caughtUp).toBeGreaterThan(0);
    expect(await count()).toBe(String(COUNT));
  });

  describe('with an index that takes long to build', () => {
    const LONG = 20_000;
    const task = { type: 'count', collectionNumber: 1, query } as const;

    beforeEach(() => {
      things.put(Object.fromEntries(Array.from({ length: LONG - COUNT }, (_, n) => [`e${n}`, { n }])));
      // One look at the clock takes a millisecond: a batch of rows does.
      let nowMs = 0;
      vi.spyOn(performance, 'now').mockImplementation(() => ++nowMs);
    });
    afterEach(() => vi.restoreAllMocks());

    it('runs tasks on other collections meanwhile', async () => {
      send({ type: 'task', slot: 0, task });
      send({ type: 'task', slot: 1, task });
      send({ type: 'task', slot: 2, task: { ...task, collectionNumber: 7 } });
      await expect.poll(() => answers().length).toBe(3);
      expect(received.filter(({ type }) => type === 'deferred')).toEqual([
        { type: 'deferred', slot: 0 },
        { type: 'deferred', slot: 1 },
      ]);
      expect(answers()).toMatchObject([
        { type: 'failed', slot: 2 },
        { type: 'result', slot: 0, result: { json: String(LONG) } },
        { type: 'result', slot: 1, result: { json: String(LONG) } },
      ]);
    });

    it('ends the waiting of a task that is cancelled', async () => {
      port.on('message', (messages: readonly FromSearchWorker[]) => {
        if (messages.some(({ type }) => type === 'deferred')) flags.cancel(0);
      });
      send({ type: 'task', slot: 0, task });
      send({ type: 'task', slot: 1, task: { ...task, collectionNumber: 1 } });
      await expect.poll(() => answers().length).toBe(2);
      expect(answers()).toMatchObject([
        { type: 'failed', slot: 0, failure: { kind: 'cancelled' } },
        { type: 'result', slot: 1, result: { json: String(LONG) } },
      ]);
    });
  });

  it('ends with its port', async () => {
    const closed = new Promise<void>((resolve) => port.once('close', resolve));
    await count();
    send({ type: 'stop' });
    await closed;
  });
});
