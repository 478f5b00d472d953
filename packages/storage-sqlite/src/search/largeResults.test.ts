import type { JsonValue } from '@millrace/language';
import { parseSearch } from '@millrace/query';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SearchThread } from './SearchThread.js';
import { TestCollection } from './TestCollection.test.support.js';

const LIMIT = 200_000;
const things = new TestCollection().put(
  Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d${n}`, { n, t: 'same', long: 'é'.repeat(5_000) }])),
);
const thread = new SearchThread({ databaseFile: things.databaseFile, maxResultBytes: LIMIT });
const request = (body: JsonValue) => parseSearch(body);
const search = (body: JsonValue) => thread.search(1, request(body));
const TOO_LARGE = { id: 'query.result_too_large', status: 400 };

beforeAll(() => thread.start());
afterAll(async () => {
  await thread.stop();
  things.close();
});

describe('a result with more bytes than it may have', () => {
  it('is refused, with advice; its pages are given', async () => {
    await expect(search({ size: 10_000 })).rejects.toMatchObject({
      ...TOO_LARGE,
      message: expect.stringMatching(/MiB: ask for fewer .*"from" and "size".*"_source"/) as string,
    });
    const pages = [0, 10, 20, 30].map((from) => search({ sort: ['n'], from, size: 10 }));
    const hits = (await Promise.all(pages)).flatMap((page) => page.hits);
    expect(hits.map(({ source }) => source?.['n'])).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  it('is judged by what is shown of the documents', async () => {
    expect((await search({ size: 40, _source: ['n'] })).hits).toHaveLength(40);
    expect((await search({ size: 40, _source: false })).hits).toHaveLength(40);
    await expect(search({ size: 40, _source: ['long'] })).rejects.toMatchObject(TOO_LARGE);
  });

  it('is refused for the documents of aggregations too', async () => {
    const top = (size: number, source: boolean) => ({
      size: 0,
      aggs: { t: { terms: { field: 'n', size: 40 }, aggs: { top: { top_hits: { size, _source: source } } } } },
    });
    await expect(search(top(1, true))).rejects.toMatchObject(TOO_LARGE);
    expect((await search(top(1, false))).total).toBe(40);
  });

  it('as a page of a cursor can be asked for again, and is read in smaller ones', async () => {
    const cursor = await thread.openCursor(1, request({ sort: ['n'], size: 40 }));
    await expect(cursor.next()).rejects.toMatchObject(TOO_LARGE);
    await expect(cursor.next()).rejects.toMatchObject(TOO_LARGE);
    await cursor.close();
    const smaller = await thread.openCursor(1, request({ sort: ['n'], size: 15 }));
    const lengths: number[] = [];
    for (let i = 0; i < 4; i += 1) lengths.push((await smaller.next()).hits.length);
    expect(lengths).toEqual([15, 15, 10, 0]);
    await smaller.close();
  });

  it('gives sources as they are stored where the caller prefers it', async () => {
    const body = request({ query: { term: { n: 3 } } });
    const [hit] = (await thread.search(1, body, { prefersText: true })).hits;
    expect(hit).not.toHaveProperty('source');
    expect(JSON.parse(String(hit?.sourceText))).toMatchObject({ n: 3, t: 'same' });
  });

  it('gives long ones as bytes, or as documents', async () => {
    const large = new SearchThread({
      databaseFile: things.databaseFile,
      maxResultBytes: 1_000_000,
    });
    large.start();
    const body = request({ sort: ['n'], size: 40 });
    const documents = (await large.search(1, body)).hits.map(({ source }) => source);
    const texts = (await large.search(1, body, { prefersText: true })).hits.map(({ sourceText }) => sourceText);
    await large.stop();
    expect(documents.map((source) => source?.['n'])).toEqual([...documents.keys()]);
    expect(texts.every((text) => text instanceof Uint8Array)).toBe(true);
    expect(texts.map((text) => JSON.parse(Buffer.from(text ?? '').toString()) as JsonValue)).toEqual(documents);
  });
});
