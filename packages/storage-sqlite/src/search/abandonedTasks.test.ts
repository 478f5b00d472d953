import { setMaxListeners } from 'node:events';
import { MAX_RESULT_BYTES, type MillraceError } from '@millrace/kernel';
import type { JsonValue } from '@millrace/language';
import { parseSearch } from '@millrace/query';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SearchThread } from './SearchThread.js';
import { TestCollection } from './TestCollection.test.support.js';

const COUNT = 20_000;
const things = new TestCollection().put(
  Object.fromEntries(Array.from({ length: COUNT }, (_, n) => [`d${n}`, { n, t: `order no ${n} of x${n % 7}` }])),
);
afterAll(() => things.close());

const request = (body: JsonValue) => parseSearch(body);
const SLOW = request({
  query: {
    bool: {
      should: Array.from({ length: 30 }, (_, i) => ({
        wildcard: { 't.keyword': { value: `*o*r*${i}*x*` } },
      })),
    },
  },
});

/** The caller of many searches; over a connection each request has a separate signal. */
function createCaller(): AbortController {
  const caller = new AbortController();
  setMaxListeners(0, caller.signal);
  return caller;
}

describe('tasks of a search thread', () => {
  let thread: SearchThread;

  beforeEach(async () => {
    const { databaseFile } = things;
    thread = new SearchThread({ databaseFile, maxResultBytes: MAX_RESULT_BYTES });
    thread.start();
    await thread.count(1, request({}).query);
  });
  afterEach(() => thread.stop());

  const idOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: unknown) => (error as MillraceError).id,
    );

  it('are dropped while they wait and cancelled while they run, once their callers have left', async () => {
    const caller = createCaller();
    const { signal } = caller;
    const outcomes = Array.from({ length: 400 }, () => idOf(thread.search(1, SLOW, { signal })));
    await outcomes[0];
    caller.abort();
    // The running task may still complete.
    const cancelled = (await Promise.all(outcomes)).filter((id) => id === 'query.cancelled');
    expect(cancelled.length).toBeGreaterThanOrEqual(380);
    expect(await idOf(thread.search(1, SLOW, { signal }))).toBe('query.cancelled');
    expect(await thread.count(1, request({}).query)).toBe(COUNT);
  });

  it('of other callers are run, with the results they would have had', async () => {
    const honest = request({ query: { range: { n: { lt: 50 } } }, sort: ['n'], size: 50 });
    const expected = await thread.search(1, honest);
    const staying = createCaller();
    const callers = Array.from({ length: 100 }, (_, i) => {
      const caller = new AbortController();
      void idOf(thread.search(1, SLOW, { signal: caller.signal }));
      const { signal } = staying;
      return { caller, result: i % 10 === 0 ? thread.search(1, honest, { signal }) : undefined };
    });
    for (const { caller } of callers) caller.abort();
    for (const { result } of callers) if (result) expect(await result).toEqual(expected);
  });

  it('reject when the thread stops, which waits for none of them', async () => {
    const outcomes = Array.from({ length: 400 }, () => idOf(thread.search(1, SLOW)));
    await outcomes[0];
    await thread.stop();
    const ids = await Promise.all(outcomes);
    expect(ids.filter((id) => id === 'storage.unavailable').length).toBeGreaterThanOrEqual(380);
  });

  it('of Millrace itself, which have no signal, do not wait for those of clients', async () => {
    const caller = createCaller();
    const { signal } = caller;
    let doneCount = 0;
    const crowd = Array.from({ length: 200 }, () => thread.search(1, SLOW, { signal }).then(() => (doneCount += 1)));
    void Promise.allSettled(crowd);
    expect(await thread.count(1, request({}).query)).toBe(COUNT);
    expect(doneCount).toBeLessThan(20);
    caller.abort();
    await Promise.allSettled(crowd);
  });

  it('scans can be cancelled until their first batch', async () => {
    const caller = new AbortController();
    const found: string[] = [];
    const { query } = request({});
    for await (const batch of thread.scan(1, query, { signal: caller.signal })) {
      caller.abort();
      found.push(...batch.map(({ id }) => id));
    }
    expect(found).toHaveLength(COUNT);
    const late = thread.scan(1, query, { signal: caller.signal })[Symbol.asyncIterator]();
    await expect(late.next()).rejects.toMatchObject({ id: 'query.cancelled', status: 499 });
  });
});
