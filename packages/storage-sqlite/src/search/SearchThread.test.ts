import { MAX_RESULT_BYTES } from '@millrace/kernel';
import type { JsonValue } from '@millrace/language';
import { parseSearch } from '@millrace/query';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SearchThread } from './SearchThread.js';
import { TestCollection } from './TestCollection.test.support.js';

const things = new TestCollection().put(
  Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`d${n}`, { n, t: n % 2 === 0 ? 'even' : 'odd' }])),
);
const caughtUp: (readonly [number, number])[] = [];
const failures: unknown[] = [];
const thread = new SearchThread({
  databaseFile: things.databaseFile,
  maxResultBytes: MAX_RESULT_BYTES,
  onCaughtUp: (collectionNumber, tombstoneNumber) => caughtUp.push([collectionNumber, tombstoneNumber]),
  onFailure: (error) => failures.push(error),
});
const request = (body: JsonValue) => parseSearch(body);

beforeAll(() => thread.start());
afterAll(async () => {
  await thread.stop();
  things.close();
});
afterEach(() => {
  expect(failures).toEqual([]);
});

describe('SearchThread', () => {
  it('searches and counts off the calling thread', async () => {
    const outcome = await thread.search(1, request({ query: { match: { t: 'odd' } }, sort: [{ n: 'desc' }], size: 1 }));
    expect(outcome).toMatchObject({
      total: 750,
      hits: [{ id: 'd1499', version: 1, source: { n: 1499, t: 'odd' }, sort: [1499] }],
    });
    expect(await thread.count(1, request({ query: { range: { n: { lt: 10 } } } }).query)).toBe(10);
  });

  it('turns refusals and failures into registered errors', async () => {
    await expect(thread.search(1, request({ sort: ['t'] }))).rejects.toMatchObject({
      id: 'query.invalid',
      status: 400,
    });
    await expect(thread.search(99, request({}))).rejects.toMatchObject({
      id: 'storage.unavailable',
      status: 503,
    });
    await expect(
      thread.search(1, request({ sort: [{ n: { order: 'asc', numeric_type: 'date_nanos' } }] })),
    ).rejects.toThrow(/not supported/);
  });

  it('gives a cursor its frozen view, also at the same time as other searches', async () => {
    const cursor = await thread.openCursor(1, request({ sort: ['n'], size: 2 }));
    const [first] = await Promise.all([cursor.next(), thread.search(1, request({}))]);
    things.delete('d2').put({ d3: { n: 5_000, t: 'x' } });
    const second = await cursor.next();
    expect([...first.hits, ...second.hits].map(({ source }) => source?.['n'])).toEqual([0, 1, 2, 3]);
    expect(await thread.count(1, request({}).query)).toBe(1_499);
    expect(caughtUp).toEqual([[1, 2]]);
    await cursor.close();
    await expect(cursor.next()).rejects.toMatchObject({ id: 'query.scroll_not_found' });
  });

  it('scans all matches in batches', async () => {
    let count = 0;
    for await (const batch of thread.scan(1, request({ query: { match: { t: 'even' } } }).query)) count += batch.length;
    expect(count).toBe(749);
  });

  it('follows hints, forgets dropped collections and tells its memory', async () => {
    thread.changed(1);
    thread.changed(42);
    thread.drop(42);
    const cursor = await thread.openCursor(1, request({}));
    thread.drop(1);
    await expect(cursor.next()).rejects.toMatchObject({ id: 'query.scroll_not_found' });
    expect(await thread.count(1, request({}).query)).toBe(1_499);
    expect(thread.memoryUsed).toBeGreaterThan(1_000_000);
  });

  it('rejects when it is stopped', async () => {
    const { databaseFile } = things;
    const other = new SearchThread({ databaseFile, maxResultBytes: MAX_RESULT_BYTES });
    await expect(other.count(1, request({}).query)).rejects.toMatchObject({
      id: 'storage.unavailable',
    });
    other.start();
    await other.stop();
    await expect(other.count(1, request({}).query)).rejects.toMatchObject({
      id: 'storage.unavailable',
    });
  });
});
