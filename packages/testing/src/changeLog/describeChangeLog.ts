import type { ChangeLog, CollectionName, Cursor, JsonObject, LoggedChange, ReplayLimits } from '@millrace/kernel';
import { expect } from '../runner/expect.js';
import type { TestRunner } from '../runner/TestRunner.js';
import { fold, read, showChange, writeRandomly } from './changeLogModel.js';

/** Limits that a log under test is opened with: `realtime.history` of the configuration. */
export interface ChangeLogLimits {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** A change log under test, with the storage whose changes it records: started, on a separate empty store. */
export interface OpenedChangeLog {
  readonly log: ChangeLog;
  /** Creates the collection, with its index if that is absent. */
  createCollection(name: CollectionName): Promise<void>;
  deleteCollection(name: CollectionName): Promise<unknown>;
  truncate(name: CollectionName): Promise<unknown>;
  /** Creates or replaces a document; null: deletes it. */
  write(change: WriteToLog): Promise<void>;
  /** A cursor after `head`, which is refused. Absent: `head` with `z` as its last character. */
  laterThan?(head: Cursor): Cursor;
  /** Stops the server, and starts another one on the same store. */
  reopen(): Promise<ChangeLog>;
  /** Stops it and removes the store. */
  close(): Promise<void>;
}

/** A write to a collection of a log under test. */
export type WriteToLog = CollectionName & {
  readonly id: string;
  readonly source: JsonObject | null;
  readonly isSilent?: boolean;
};

const NAME: CollectionName = { index: 'suite', collection: 'things' };
const OTHER: CollectionName = { index: 'suite', collection: 'others' };
const LIMITS: ReplayLimits = { maxChanges: 100_000, maxWeight: 100_000_000 };
const HISTORY: ChangeLogLimits = { maxAgeMs: 15 * 60_000, maxBytes: 2 ** 28 };

/**
 * The rules of docs/reference/change-log.md as tests (LOG-1 to LOG-5, LOG-8, LOG-10, POLL-11): every storage with a change log
 * runs it.
 * @param name shown in the test titles
 * @param open returns a new log for each test
 * @param runner `import * as runner from 'vitest'`, or from `'node:test'`
 */
export function describeChangeLog(
  name: string,
  open: (limits: ChangeLogLimits) => Promise<OpenedChangeLog>,
  runner: TestRunner,
): void {
  const { describe, it, afterEach } = runner;
  let opened: OpenedChangeLog | undefined;

  /** A log with an empty collection. */
  async function start(limits: Partial<ChangeLogLimits> = {}) {
    const mine = (opened = await open({ ...HISTORY, ...limits }));
    await mine.createCollection(NAME);
    const put = (id: string, n: number, at = NAME) => mine.write({ ...at, id, source: { n } });
    const remove = (id: string) => mine.write({ ...NAME, id, source: null });
    return { ...mine, put, remove };
  }

  describe(`${name} as a ChangeLog`, () => {
    afterEach(async () => {
      await opened?.close();
      opened = undefined;
    });

    it('records every change with the documents before and after it, in order (LOG-1)', async () => {
      const { log, put, remove, write } = await start();
      await put('a', 0);
      await log.cover(NAME);
      const from = await log.head();
      await put('a', 1);
      await write({ ...NAME, id: 'b', source: { n: 2 }, isSilent: true });
      await remove('a');
      await put('a', 3);
      const { head, changes } = read(await log.changesAfter(NAME, from, LIMITS));
      expect(changes.map(showChange)).toEqual(['a: 0 → 1', 'b: - → 2', 'a: 1 → -', 'a: - → 3']);
      expect((changes.at(-1)?.cursor ?? 'none') <= head).toBe(true);
      expect((await log.head()) >= head).toBe(true);
      const [first, second] = changes as readonly LoggedChange[];
      expect([first?.before?.version, first?.after?.version]).toEqual([1, 2]);
      expect(typeof first?.after?.meta).toBe('object');
      expect([first?.isSilent, second?.isSilent, second?.origin]).toEqual([false, true, null]);
      expect(Math.abs(Date.now() - (first?.atMs ?? 0))).toBeLessThan(60 * 60_000);
      const afterSecond = await log.changesAfter(NAME, second?.cursor ?? '', LIMITS);
      expect(read(afterSecond).changes.map(showChange)).toEqual(['a: 1 → -', 'a: - → 3']);
      expect(read(await log.changesAfter(NAME, head, LIMITS)).changes).toEqual([]);
    });

    it('has all changes after its oldest position, and none for a collection that is not recorded (POLL-11)', async () => {
      const { log, put } = await start();
      expect(await log.oldest(OTHER)).toBe(undefined);
      await put('a', 0);
      await log.cover(NAME);
      await put('a', 1);
      const oldest = (await log.oldest(NAME)) ?? 'none';
      expect(read(await log.changesAfter(NAME, oldest, LIMITS)).changes.map(showChange)).toEqual(['a: 0 → 1']);
    });

    it('records concurrent writes, each document in the order of its versions (LOG-1, LOG-2)', async () => {
      const { log, put } = await start();
      await log.cover(NAME);
      const from = await log.head();
      await Promise.all(Array.from({ length: 200 }, (_, n) => put(`d${n % 20}`, n)));
      const { changes } = read(await log.changesAfter(NAME, from, LIMITS));
      const cursors = changes.map(({ cursor }) => cursor);
      expect(cursors).toEqual([...new Set(cursors)].sort());
      const states = new Map<string, JsonObject>();
      for (const { id, before, after } of changes as readonly LoggedChange[]) {
        expect(before?.source).toEqual(states.get(id));
        expect(after?.version).toBe((before?.version ?? 0) + 1);
        if (after !== null) states.set(id, after.source);
      }
      expect([changes.length, states.size]).toEqual([200, 20]);
      for (const cursor of cursors) expect(cursor).toMatch(/^[!-~]{3,32}$/);
      expect(cursors[0]).toContain(`${log.epoch}.`);
    });

    it('refuses malformed and later cursors, and reports those of another log (LOG-3)', async () => {
      const { log, put, laterThan } = await start();
      await log.cover(NAME);
      await put('a', 1);
      const head = await log.head();
      expect(log.check(head)).toBe(head);
      const later = laterThan?.(head) ?? `${head.slice(0, -1)}z`;
      for (const cursor of ['', 'x', `${log.epoch}.`, 'x'.repeat(40), later]) {
        await expect(
          Promise.resolve().then(() => log.check(cursor)),
          cursor,
        ).rejects.toMatchObject({ id: 'realtime.invalid_cursor', status: 400 });
      }
      const foreign = `${log.epoch.replace(/./g, (c) => (c === 'a' ? 'b' : 'a'))}.${head.split('.')[1]}`;
      expect(log.check(foreign)).toBe(foreign);
      const gap = { gap: 'epoch_changed' };
      expect(await log.changesAfter(NAME, foreign, LIMITS)).toEqual(gap);
      expect(await log.netChangesAfter(NAME, foreign, LIMITS)).toEqual(gap);
    });

    it('records a collection from `cover` on, and after `release`, over a restart (LOG-2, LOG-4)', async () => {
      const { log, put, createCollection, reopen } = await start();
      await log.cover(NAME);
      const early = await log.head();
      await log.cover(OTHER);
      const from = await log.head();
      await createCollection(OTHER);
      await put('a', 1, OTHER);
      await log.cover(OTHER);
      log.release(OTHER);
      await put('a', 2, OTHER);
      const { epoch } = log;
      const reopened = await reopen();
      expect(reopened.epoch).toBe(epoch);
      await put('a', 3, OTHER);
      const { changes } = read(await reopened.changesAfter(OTHER, from, LIMITS));
      expect(changes.map(showChange)).toEqual(['a: - → 1', 'a: 1 → 2', 'a: 2 → 3']);
      const third = { index: 'suite', collection: 'never' };
      expect(await reopened.changesAfter(third, from, LIMITS)).toEqual({ gap: 'not_recorded' });
      if (early < from) {
        expect(await reopened.changesAfter(OTHER, early, LIMITS)).toEqual({ gap: 'not_recorded' });
      }
      expect(read(await reopened.changesAfter(NAME, early, LIMITS)).changes).toEqual([]);
    });

    it('records a truncate and a deletion as one entry that hides what is before it (LOG-5)', async () => {
      const { log, put, truncate, deleteCollection, createCollection } = await start();
      await log.cover(NAME);
      const from = await log.head();
      await put('a', 1);
      await truncate(NAME);
      await put('b', 2);
      const after = async () => read(await log.changesAfter(NAME, from, LIMITS)).changes.map(showChange);
      expect(await after()).toEqual(['wiped', 'b: - → 2']);
      expect(await log.netChangesAfter(NAME, from, LIMITS)).toEqual({ gap: 'wiped' });
      await deleteCollection(NAME);
      await createCollection(NAME);
      const end = await log.head();
      await put('a', 3);
      expect(await after()).toEqual(['wiped', 'a: - → 3']);
      const net = read(await log.netChangesAfter(NAME, end, LIMITS)).changes;
      expect(net.map(({ id, before, after: now }) => [id, before, now?.source])).toEqual([['a', null, { n: 3 }]]);
    });

    it('counts what documents take once parsed (RESUME-12)', async () => {
      const { log, write } = await start();
      await log.cover(NAME);
      const from = await log.head();
      // 15 KB of JSON, and 300 KB of objects.
      const source = { list: new Array<JsonObject>(5_000).fill({}) };
      await write({ ...NAME, id: 'a', source });
      const fits = { ...LIMITS, maxWeight: 400_000 };
      expect(read(await log.changesAfter(NAME, from, fits)).changes).toMatchObject([{ after: { source } }]);
      expect(read(await log.netChangesAfter(NAME, from, fits)).changes).toMatchObject([{ after: { source } }]);
      const limits = { ...LIMITS, maxWeight: 100_000 };
      expect(await log.changesAfter(NAME, from, limits)).toEqual({ gap: 'too_much' });
      expect(await log.netChangesAfter(NAME, from, limits)).toEqual({ gap: 'too_much' });
    });

    it('returns no more than asked for', async () => {
      const { log, put } = await start();
      await log.cover(NAME);
      const from = await log.head();
      for (let n = 0; n < 5; n += 1) await put(`d${n}`, n);
      const fits: ReplayLimits = { maxChanges: 5, maxWeight: 2_000 };
      read(await log.changesAfter(NAME, from, fits));
      read(await log.netChangesAfter(NAME, from, fits));
      for (const limits of [
        { ...fits, maxChanges: 4 },
        { ...fits, maxWeight: 20 },
      ]) {
        expect(await log.changesAfter(NAME, from, limits)).toEqual({ gap: 'too_much' });
        expect(await log.netChangesAfter(NAME, from, limits)).toEqual({ gap: 'too_much' });
      }
    });

    it('removes the oldest changes beyond `maxBytes`, and reports earlier cursors as expired (LOG-8)', async () => {
      const { log, write } = await start({ maxBytes: 50_000 });
      await log.cover(NAME);
      const from = await log.head();
      let last = from;
      let replay = await log.changesAfter(NAME, from, LIMITS);
      // Logs remove changes some time later, and in steps.
      for (let n = 0; !('gap' in replay); n += 1) {
        expect(n, 'writes of 1,000 bytes').toBeLessThan(20_000);
        last = await log.head();
        await write({ ...NAME, id: 'a', source: { n, text: 'x'.repeat(1_000) } });
        if (n % 50 === 49) replay = await log.changesAfter(NAME, from, LIMITS);
      }
      expect(replay).toEqual({ gap: 'expired' });
      expect(await log.netChangesAfter(NAME, from, LIMITS)).toEqual({ gap: 'expired' });
      expect(read(await log.changesAfter(NAME, last, LIMITS)).changes).toHaveLength(1);
    });

    it('forgets the changes of a collection that is erased, and records the next ones (LOG-10)', async () => {
      const { log, put } = await start();
      await log.cover(NAME);
      await log.cover(OTHER);
      const from = await log.head();
      await put('a', 1);
      if (log.erase === undefined) return;
      await put('b', 1);
      const size = await log.size?.();
      if (size !== undefined) expect([size.bytes > 0, size.oldestAtMs === null]).toEqual([true, false]);
      await log.erase(NAME);
      const end = await log.head();
      await put('a', 2);
      expect(await log.changesAfter(NAME, from, LIMITS)).toEqual({ gap: 'expired' });
      expect(read(await log.changesAfter(NAME, end, LIMITS)).changes.map(showChange)).toEqual(['a: 1 → 2']);
      expect(read(await log.changesAfter(OTHER, from, LIMITS)).changes).toEqual([]);
    });

    for (const seed of [1, 2]) {
      it(`replays random writes from every position, seed ${seed} (LOG-1, LOG-5)`, async () => {
        const { log, ...store } = await start();
        await log.cover(NAME);
        const steps = await writeRandomly(NAME, { log, ...store }, seed);
        const state = steps.at(-1)?.state ?? new Map<string, number>();
        for (const [i, { cursor, state: from }] of steps.entries()) {
          const lines = steps.slice(i + 1).map(({ line }) => line);
          const sinceWipe = lines.slice(Math.max(0, lines.lastIndexOf('wiped')));
          const { changes } = read(await log.changesAfter(NAME, cursor, LIMITS));
          expect(changes.map(showChange)).toEqual(sinceWipe);
          const net = await log.netChangesAfter(NAME, cursor, LIMITS);
          if (lines.includes('wiped')) expect(net).toEqual({ gap: 'wiped' });
          else expect(fold(from, read(net).changes)).toEqual([...state].sort());
        }
      });
    }
  });
}
