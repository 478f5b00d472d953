import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseMapping } from '@millrace/query';
import {
  DocumentText,
  type ChangeOrigin,
  type Cursor,
  type LoggedChange,
  type LoggedWipe,
  type NetChange,
  type ReplayLimits,
  type WriteOperation,
} from '@millrace/kernel';
import { createSqliteEngine, type SqliteEngine } from '../SqliteEngine.js';
import { DEFAULT_HISTORY, type HistoryOptions } from '../writer/HistoryOptions.js';

const NAME = { index: 'shop', collection: 'things' };
const OTHER = { index: 'shop', collection: 'others' };
const MAPPING = parseMapping({ properties: { n: { type: 'integer' } } });
const LIMITS: ReplayLimits = { maxChanges: 100_000, maxWeight: 100_000_000 };
const STAMP = { atMs: 1_700_000_000_000, userId: 'anna' };

let dataDir: string;
let engine: SqliteEngine;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-log-'));
  await open();
  await engine.createCollection(NAME, MAPPING);
});

afterEach(async () => {
  await engine.stop();
  rmSync(dataDir, { recursive: true });
});

async function open(history: Partial<HistoryOptions> = {}): Promise<void> {
  engine = createSqliteEngine({ dataDir, history: { ...DEFAULT_HISTORY, ...history }, internalIndex: '%i' });
  await engine.start();
}

async function reopen(history?: Partial<HistoryOptions>): Promise<void> {
  await engine.stop();
  await open(history);
}

const put = (id: string, n: number, name = NAME): WriteOperation => ({
  ...name,
  kind: 'put',
  id,
  source: { n },
  condition: 'any',
});
const remove = (id: string): WriteOperation => ({ ...NAME, kind: 'delete', id, condition: 'present' });

async function write(operation: WriteOperation, origin?: ChangeOrigin | null) {
  const [outcome] = await engine.write([operation], false, STAMP, origin);
  if (outcome === undefined || outcome.status === 'failed') throw new Error('not written');
  return outcome.cursor;
}

/** Changes as `id: before → after`. */
async function changesAfter(cursor: Cursor, name = NAME): Promise<string[] | string> {
  const replay = await engine.changeLog.changesAfter(name, cursor, LIMITS);
  return 'gap' in replay ? replay.gap : replay.changes.map(show);
}

function show(change: LoggedChange | LoggedWipe): string {
  if (change.kind === 'wiped') return 'wiped';
  const n = (image: LoggedChange['before']) => (image === null ? '-' : JSON.stringify(image.source['n']));
  return `${change.id}: ${n(change.before)} → ${n(change.after)}`;
}

describe('the change log', () => {
  it('reads in the turns of its caller, and meanwhile for others (POLL-10)', async () => {
    await engine.changeLog.cover(NAME);
    const start = engine.changeLog.head();
    for (let n = 1; n <= 3; n++) await write(put('a', n));
    let begun = (): void => undefined;
    let goOn = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const turn = () => {
      begun();
      return mayGoOn;
    };
    const limits = { ...LIMITS, pace: { isDue: () => true, rest: turn } };
    const first = engine.changeLog.changesAfter(NAME, start, limits);
    await hasBegun;
    await write(put('a', 4));
    expect(await changesAfter(start)).toHaveLength(4);
    goOn();
    // That of the moment when it began.
    expect(await first).toMatchObject({ changes: { length: 3 } });
  });

  it('records the changes of a covered collection, with the documents before and after (LOG-1)', async () => {
    await write(put('a', 0));
    await engine.changeLog.cover(NAME);
    const start = engine.changeLog.head();
    const origin = { requestId: 'r1', metadata: { m: 1 } };
    const cursors = [
      await write(put('a', 1), origin),
      await write(put('b', 2), null),
      await write(remove('a'), { requestId: 'r2', metadata: {} }),
      await write(put('a', 3)),
    ];
    const replay = await engine.changeLog.changesAfter(NAME, start, LIMITS);
    if ('gap' in replay) throw new Error(replay.gap);
    expect(replay.changes.map(show)).toEqual(['a: 0 → 1', 'b: - → 2', 'a: 1 → -', 'a: - → 3']);
    expect(replay.changes.map(({ cursor }) => cursor)).toEqual(cursors);
    expect(replay.head).toBe(cursors[3]);
    expect(engine.changeLog.head()).toBe(cursors[3]);
    expect(cursors).toEqual([...cursors].sort());
    const [first, second, third, fourth] = replay.changes as LoggedChange[];
    expect(first).toMatchObject({
      origin,
      isSilent: false,
      before: { version: 1, meta: { author: 'anna', updatedAt: null } },
      after: { version: 2, meta: { author: 'anna', updater: 'anna' } },
    });
    expect(second).toMatchObject({ origin: null, isSilent: true });
    expect(third?.origin).toEqual({ requestId: 'r2', metadata: {} });
    expect(fourth).toMatchObject({ origin: null, isSilent: false });
  });

  it('records nothing of other collections, and no failed write', async () => {
    await engine.createCollection(OTHER, MAPPING);
    await engine.changeLog.cover(NAME);
    const start = engine.changeLog.head();
    expect(await write(put('a', 1, OTHER))).toBeUndefined();
    const refused = { ...put('a', 1), condition: 'present' } as WriteOperation;
    expect((await engine.write([refused], false))[0]).toMatchObject({ status: 'failed' });
    expect(await changesAfter(start)).toEqual([]);
    expect(await changesAfter(start, OTHER)).toBe('not_recorded');
  });

  it('covers a collection that does not exist yet, under its name (LOG-4)', async () => {
    await engine.changeLog.cover(OTHER);
    const start = engine.changeLog.head();
    await engine.createCollection(OTHER, MAPPING);
    await write(put('a', 1, OTHER));
    await engine.deleteCollection(OTHER);
    await engine.createCollection(OTHER, MAPPING);
    await write(put('a', 2, OTHER));
    expect(await changesAfter(start, OTHER)).toEqual(['wiped', 'a: - → 2']);
  });

  it('records a truncate and a deleted index as one entry, without the changes before it (LOG-5)', async () => {
    await engine.changeLog.cover(NAME);
    const start = engine.changeLog.head();
    await write(put('a', 1));
    await engine.truncate(NAME);
    await write(put('a', 4));
    expect(await changesAfter(start)).toEqual(['wiped', 'a: - → 4']);
    await engine.deleteIndex('shop');
    expect(await changesAfter(start)).toEqual(['wiped']);
    expect(await engine.changeLog.netChangesAfter(NAME, start, LIMITS)).toEqual({ gap: 'wiped' });
    const end = engine.changeLog.head();
    await engine.createCollection(NAME, MAPPING);
    await write(put('a', 5));
    await write(remove('a'));
    // Nothing was removed at once.
    await engine.truncate(NAME);
    await write(put('a', 6));
    expect(await changesAfter(end)).toEqual(['a: - → 5', 'a: 5 → -', 'a: - → 6']);
  });

  it('gives the net change of each document', async () => {
    await write(put('a', 1));
    await write(put('gone', 1));
    await engine.changeLog.cover(NAME);
    const start = engine.changeLog.head();
    await write(put('a', 2));
    await write(put('b', 3));
    await write(remove('b'));
    await write(remove('gone'));
    await write(put('c', 4));
    await write(put('a', 5));
    const replay = await engine.changeLog.netChangesAfter(NAME, start, LIMITS);
    if ('gap' in replay) throw new Error(replay.gap);
    expect(replay.changes.map(({ id, before, after }) => [id, before?.source['n'], after?.source['n']])).toEqual([
      ['gone', 1, undefined],
      ['c', undefined, 4],
      ['a', 1, 5],
    ]);
  });

  it('refuses malformed and future cursors, and tells another epoch (LOG-3)', async () => {
    await engine.changeLog.cover(NAME);
    const { epoch } = engine.changeLog;
    for (const cursor of ['', 'x', `${epoch}.1`, `${epoch}.zzzzzzzzzzz`, `${epoch}.00000000zzz`]) {
      expect(() => engine.changeLog.check(cursor)).toThrow(/^cursor: expected a cursor/);
    }
    expect(await changesAfter('00000000.00000000001')).toBe('epoch_changed');
    // Of a cluster.
    expect(await changesAfter('00000000.0mh8x2k1p0000000')).toBe('epoch_changed');
    expect(() => engine.changeLog.check(`${epoch}.0mh8x2k1p0000000`)).toThrow(/^cursor: expected a cursor/);
  });

  it('reads large documents a few at a time, and leaves none out', async () => {
    await engine.changeLog.cover(NAME);
    const start = engine.changeLog.head();
    const expected: string[] = [];
    for (let n = 0; n < 260; n += 1) {
      // Of 10 kB, and in between one that is a page by itself.
      const text = 'x'.repeat(n % 70 === 0 ? 1_500_000 : 10_000);
      await write({ ...NAME, kind: 'put', id: `d${n % 80}`, source: { n, text }, condition: 'any' });
      expected.push(`d${n % 80} ${n}`);
    }
    const limits = { maxChanges: 1_000, maxWeight: 2 ** 25 };
    const replay = await engine.changeLog.changesAfter(NAME, start, limits);
    if ('gap' in replay) throw new Error(replay.gap);
    const read = replay.changes.map((each) =>
      each.kind === 'document' ? `${each.id} ${each.after?.source['n'] as number}` : '',
    );
    expect(read).toEqual(expected);
  });

  it('keeps documents as text until they are read (RESUME-12)', async () => {
    await engine.changeLog.cover(NAME);
    const start = engine.changeLog.head();
    await write(put('a', 1));
    await write(put('a', 2));
    const replay = await engine.changeLog.changesAfter(NAME, start, LIMITS);
    const changes = 'gap' in replay ? [] : replay.changes;
    const [, update] = changes as readonly LoggedChange[];
    expect(update?.before).toBeInstanceOf(DocumentText);
    expect(update?.after).toBeInstanceOf(DocumentText);
    expect([update?.before?.source, update?.after?.source]).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('refuses more than the limits', async () => {
    await engine.changeLog.cover(NAME);
    const start = engine.changeLog.head();
    for (let n = 0; n < 5; n += 1) await write(put(`d${n}`, n));
    const { changeLog } = engine;
    const fits = { maxChanges: 5, maxWeight: 100 };
    expect(await changeLog.changesAfter(NAME, start, fits)).not.toHaveProperty('gap');
    expect(await changeLog.netChangesAfter(NAME, start, fits)).not.toHaveProperty('gap');
    for (const limits of [
      { ...fits, maxChanges: 4 },
      { ...fits, maxWeight: 20 },
    ]) {
      expect(await changeLog.changesAfter(NAME, start, limits)).toEqual({ gap: 'too_much' });
      expect(await changeLog.netChangesAfter(NAME, start, limits)).toEqual({ gap: 'too_much' });
    }
  });

  it('goes on recording over a restart, and never assigns a position twice (LOG-2, LOG-4)', async () => {
    await engine.changeLog.cover(NAME);
    const start = engine.changeLog.head();
    await write(put('a', 1));
    await reopen();
    await write(put('a', 2));
    engine.changeLog.release(NAME);
    await write(put('a', 3));
    expect(await changesAfter(start)).toEqual(['a: - → 1', 'a: 1 → 2', 'a: 2 → 3']);
  });

  it('records absent collections of other clients, whatever one client releases (LOG-4)', async () => {
    const { changeLog } = engine;
    const release = async (collection: string, client: string) => {
      const name = { index: 'shop', collection };
      await changeLog.cover(name);
      const cursor = changeLog.head();
      changeLog.release(name, client);
      return cursor;
    };
    const own = await release('own', '10.0.0.1');
    const first = await release('invented', '10.0.0.2');
    const many = Array.from({ length: 1_100 }, (_, n) => release(`invented${n}`, '10.0.0.2'));
    await Promise.all(many);
    // Answered after the releases.
    await changeLog.cover(OTHER);
    expect(await changesAfter(own, { index: 'shop', collection: 'own' })).toEqual([]);
    expect(await changesAfter(first, { index: 'shop', collection: 'invented' })).toBe('not_recorded');
  });
});

/** Random writes compared with a model; every cursor replays as the model says. */
describe('the change log compared with a model', () => {
  interface Step {
    readonly cursor: Cursor;
    readonly line: string;
    /** All documents after it. */
    readonly state: ReadonlyMap<string, number>;
  }

  it.each([1, 2, 3, 4])('replays from every position, seed %i (LOG-1, LOG-5)', async (seed) => {
    let state32 = seed * 2_654_435_761;
    const random = (limit: number) => {
      state32 = (Math.imul(state32, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state32 / 2 ** 32) * limit);
    };
    let state = new Map<string, number>([['old', 0]]);
    await write(put('old', 0));
    await engine.changeLog.cover(NAME);
    const steps: Step[] = [{ cursor: engine.changeLog.head(), line: '', state }];
    for (let n = 1; n <= 150; n += 1) {
      state = new Map(state);
      if (random(40) === 0) {
        await engine.truncate(NAME);
        if (state.size === 0) continue;
        state.clear();
        steps.push({ cursor: engine.changeLog.head(), line: 'wiped', state });
        continue;
      }
      if (random(50) === 0) await reopen();
      const id = `d${random(6)}`;
      const before = state.get(id);
      const isDeletion = before !== undefined && random(3) === 0;
      const cursor = await write(isDeletion ? remove(id) : put(id, n), random(2) === 0 ? null : undefined);
      if (isDeletion) state.delete(id);
      else state.set(id, n);
      const line = `${id}: ${before ?? '-'} → ${state.get(id) ?? '-'}`;
      steps.push({ cursor: cursor ?? 'none', line, state });
    }
    for (const [i, { cursor, state: from }] of steps.entries()) {
      const later = steps.slice(i + 1);
      const lines = later.map(({ line }) => line);
      const sinceWipe = lines.slice(Math.max(0, lines.lastIndexOf('wiped')));
      expect(await changesAfter(cursor)).toEqual(sinceWipe);
      const net = await engine.changeLog.netChangesAfter(NAME, cursor, LIMITS);
      if (lines.includes('wiped')) {
        expect(net).toEqual({ gap: 'wiped' });
        continue;
      }
      const folded = new Map(from);
      if ('gap' in net) throw new Error(net.gap);
      for (const { id, before, after } of net.changes) {
        expect(before?.source['n']).toBe(from.get(id));
        if (after === null) folded.delete(id);
        else folded.set(id, Number(after.source['n']));
      }
      expect([...folded].sort()).toEqual([...state].sort());
    }
    const wipedAt = steps.findLastIndex(({ line }) => line === 'wiped');
    const afters = steps
      .slice(Math.max(0, wipedAt))
      .map(({ cursor }) => cursor)
      .filter(() => random(3) > 0);
    const all = await engine.changeLog.netChangesAfterEach(NAME, afters, LIMITS);
    if ('gap' in all) throw new Error(all.gap);
    for (const after of afters) {
      const one = await engine.changeLog.netChangesAfter(NAME, after, LIMITS);
      const { changes } = one as { readonly changes: readonly NetChange[] };
      const own = all.changes.filter(({ within }) => within && within.from <= after && after < within.to);
      expect(own.map(({ within: _, ...change }) => change)).toEqual(changes);
    }
  });
});
