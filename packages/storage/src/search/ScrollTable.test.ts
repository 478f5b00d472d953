import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  NO_DOCUMENT_METADATA,
  queryErrors,
  silentLogger,
  SOLE_NODE,
  storageErrors,
  type JsonObject,
  type SearchCursor,
} from '@millrace/kernel';
import { FakeStorageEngine } from '../FakeStorageEngine.js';
import { ScrollTable } from './ScrollTable.js';

const NAME = { index: 'shop', collection: 'things' };
const NOT_FOUND = expect.objectContaining({ id: queryErrors.scroll_not_found.id }) as unknown;

/** A table, and cursors over numbers that record their calls. */
function open(maxScrolls = 3, random: (count: number) => Uint8Array = randomBytes) {
  const time = { nowMs: 0 };
  const engine = new FakeStorageEngine();
  engine.indexes.set('shop', {
    settings: { autoRefresh: false },
    collections: new Map([['things', { mapping: { properties: new Map() }, documents: new Map() }]]),
  });
  const config = { defaultMapping: {}, maxScrolls, scrollSweepMs: 10, writeBatchSize: 1 };
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs };
  const table = new ScrollTable(engine, clock, random, config, silentLogger, SOLE_NODE);
  let openCursors = 0;
  const cursorOf = (count: number, pageSize: number, failures: (Error | undefined)[] = []) => {
    let position = 0;
    openCursors++;
    const cursor: SearchCursor = {
      next: async () => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        const length = Math.max(0, Math.min(pageSize, count - position));
        const hits = Array.from({ length }, (_, i) => ({
          id: String(position + i),
          score: null,
          version: 1,
          meta: NO_DOCUMENT_METADATA,
        }));
        position += length;
        return { hits, total: count, maxScore: null, timedOut: false };
      },
      close: async () => void openCursors--,
    };
    return cursor;
  };
  const start = (
    count: number,
    more: {
      owner?: string;
      remoteAddress?: string;
      body?: JsonObject;
      spanMs?: number;
      failures?: (Error | undefined)[];
    } = {},
  ) =>
    table.open({
      owner: more.owner ?? 'me',
      remoteAddress: more.remoteAddress ?? '10.0.0.1',
      name: NAME,
      body: more.body ?? null,
      rightKey: null,
      spanMs: more.spanMs ?? 1_000,
      pageSize: 10,
      showsVersion: false,
      openCursor: async () => cursorOf(count, 10, more.failures),
    });
  return { table, time, engine, start, openCursors: () => openCursors };
}

describe('ScrollTable (SEARCH-81, SEARCH-83)', () => {
  it('gives ids that can be part of a path whatever the random bytes are', async () => {
    // 0xff is "_" in base64url, and a segment beginning with "_" is never a parameter (PROTO-25).
    const { start } = open(3, (count) => new Uint8Array(count).fill(0xff));
    expect((await start(30)).scrollId).toMatch(/^[A-Za-z0-9][\w-]{20,}$/);
  });

  it('gives page after page, a new identifier with each, then empty pages', async () => {
    const { table, start } = open();
    let page = await start(25);
    const seen = [page];
    for (let i = 0; i < 4; i++) seen.push((page = await table.next(page.scrollId, 'me')));
    expect(seen.map(({ outcome }) => outcome.hits.length)).toEqual([10, 10, 5, 0, 0]);
    expect(seen.map(({ outcome }) => outcome.total)).toEqual([25, 25, 25, 25, 25]);
    expect(new Set(seen.map(({ scrollId }) => scrollId)).size).toBe(5);
    for (const { scrollId } of seen) expect(scrollId).toMatch(/^s[\w-]{32}$/);
  });

  it('refuses older identifiers; the newest stays usable', async () => {
    const { table, start } = open();
    const first = await start(25);
    const second = await table.next(first.scrollId, 'me');
    await expect(table.next(first.scrollId, 'me')).rejects.toEqual(NOT_FOUND);
    expect((await table.next(second.scrollId, 'me')).outcome.hits[0]?.id).toBe('20');
  });

  it('lets one of two concurrent calls with the same identifier win', async () => {
    const { table, start } = open();
    const { scrollId } = await start(25);
    const both = await Promise.allSettled([table.next(scrollId, 'me'), table.next(scrollId, 'me')]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  it('knows a scroll for its owner alone, whom strangers do not disturb', async () => {
    const { table, start } = open();
    const { scrollId } = await start(25);
    for (const id of [scrollId, 'nonsense', '', '__proto__']) {
      await expect(table.next(id, 'other')).rejects.toEqual(NOT_FOUND);
    }
    expect((await table.next(scrollId, 'me')).outcome.hits).toHaveLength(10);
  });

  it('ends with its span, which each page starts again, with a new one if given', async () => {
    const { table, start, time, openCursors } = open();
    let page = await start(100);
    time.nowMs = 999;
    page = await table.next(page.scrollId, 'me');
    time.nowMs = 1_998;
    page = await table.next(page.scrollId, 'me', 50);
    time.nowMs = 2_047;
    page = await table.next(page.scrollId, 'me');
    time.nowMs = 2_097;
    await expect(table.next(page.scrollId, 'me')).rejects.toEqual(NOT_FOUND);
    expect(openCursors()).toBe(0);
  });

  it('sweeps expired scrolls without being asked', async () => {
    const { table, start, time, openCursors } = open();
    await table.start();
    await start(100);
    time.nowMs = 1_000;
    while (table.openCount > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(openCursors()).toBe(0);
    await table.stop();
  });

  it('refuses more than the limit with 429, until one is read completely or expires', async () => {
    const { table, start, time } = open(2);
    const short = await start(15);
    await start(100, { spanMs: 5_000 });
    await expect(start(100)).rejects.toMatchObject({ id: 'query.too_many_scrolls', status: 429 });
    await table.next(short.scrollId, 'me');
    expect(table.openCount).toBe(1);
    await start(100);
    await expect(start(100)).rejects.toMatchObject({ status: 429 });
    time.nowMs = 1_000;
    await start(100);
  });

  it('keeps only so many scrolls that were read completely', async () => {
    const { table, start } = open(2);
    const pages = [];
    for (let i = 0; i < 6; i++) pages.push(await start(3));
    const answers = await Promise.allSettled(pages.map(({ scrollId }) => table.next(scrollId, 'me')));
    const answered = answers.map(({ status }) => status === 'fulfilled');
    expect(answered).toEqual([false, false, true, true, true, true]);
  });

  it('keeps the searches of scrolls up to a number of bytes, which addresses share', async () => {
    const { table, start, time } = open(500);
    // 2 MiB in memory.
    const body = { query: 'x'.repeat(2 ** 20) };
    let count = 0;
    const openAll = async () => {
      for (count = 0; count < 100; count++) await start(100, { body });
    };
    await expect(openAll()).rejects.toMatchObject({ id: 'query.too_many_scrolls' });
    expect(count).toBeGreaterThan(15);
    expect(count).toBeLessThan(32);
    await start(100, { body, remoteAddress: '10.0.0.2' });
    time.nowMs = 1_000;
    await start(100, { body });
    expect(table.openCount).toBe(1);
    // Those that were read to the end give way.
    for (let n = 0; n < 40; n++) await start(3, { body });
    await start(100, { body });
    expect(table.openCount).toBe(2);
  });

  it('gives the view back as soon as the last hit was read', async () => {
    const { table, start, openCursors } = open();
    const page = await start(20);
    expect(openCursors()).toBe(1);
    await table.next(page.scrollId, 'me');
    expect(openCursors()).toBe(0);
  });

  it('ends when the collection goes, read to the end or not', async () => {
    const { table, start, engine, openCursors } = open();
    const read = await start(5);
    const unread = await start(50, { failures: [undefined, queryErrors.scroll_not_found({})] });
    await engine.deleteCollection(NAME);
    for (const { scrollId } of [read, unread, unread]) {
      await expect(table.next(scrollId, 'me')).rejects.toEqual(NOT_FOUND);
    }
    expect([table.openCount, openCursors()]).toEqual([0, 0]);
  });

  it('lets a page be asked for again after a failure of the store', async () => {
    const { table, start } = open();
    const failures = [undefined, storageErrors.unavailable({ reason: 'gone' })];
    const { scrollId } = await start(25, { failures });
    await expect(table.next(scrollId, 'me')).rejects.toMatchObject({ status: 503 });
    expect((await table.next(scrollId, 'me')).outcome.hits[0]?.id).toBe('10');
  });

  it('counts nothing for a scroll whose opening failed', async () => {
    const { table, start, openCursors } = open();
    await expect(start(5, { failures: [storageErrors.unavailable({ reason: 'x' })] })).rejects.toMatchObject({
      status: 503,
    });
    expect([table.openCount, openCursors()]).toEqual([0, 0]);
  });

  it('closes everything at the end', async () => {
    const { table, start, openCursors } = open();
    const { scrollId } = await start(50);
    await start(50);
    await table.stop();
    expect([table.openCount, openCursors()]).toEqual([0, 0]);
    await expect(table.next(scrollId, 'me')).rejects.toEqual(NOT_FOUND);
  });
});
