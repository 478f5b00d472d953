import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Entry } from './Entry.js';
import { Keyspace, type KeyspaceObserver } from './Keyspace.js';
import { SetValue } from './values/collections.js';
import { StreamValue } from './values/StreamValue.js';

let nowMs: number;
/** Added to the monotonic clock at each reading. */
let readingMs: number;
let keys: Keyspace;
beforeEach(() => {
  nowMs = 1_000;
  readingMs = 0;
  let monotonicMs = 0;
  keys = new Keyspace({ nowMs: () => nowMs, monotonicMs: () => (monotonicMs += readingMs) }, 1_048_576);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Sets a key that expires. */
function setUntil(key: string, atMs: number): Entry {
  keys.set(key, 'value');
  const entry = keys.find(key) as Entry;
  keys.setExpiry(entry, atMs);
  return entry;
}

/** Observes nothing but which keys it still needs. */
const needing = (isUnsaved: (entry: Entry) => boolean): KeyspaceObserver => ({
  beforeChange: () => undefined,
  beforeClear: () => undefined,
  save: function* () {},
  isUnsaved,
});

describe('a key with an expiry', () => {
  it('is invisible from that time on, and logged as expired once', () => {
    setUntil('a', 2_000);
    nowMs = 1_999;
    expect([...keys.keys()]).toEqual(['a']);
    nowMs = 2_000;
    expect([...keys.keys()]).toEqual([]);
    expect([keys.find('a'), keys.find('a'), keys.string('a')]).toEqual([undefined, undefined, undefined]);
    expect(keys.expiredKeys).toEqual(['a']);
    expect([keys.size, keys.expiring, keys.usedBytes]).toEqual([0, 0, 0]);
  });

  it('stays until the log says that it expired, while the log is read', () => {
    setUntil('a', 2_000);
    keys.isLoading = true;
    nowMs = 3_000;
    expect(keys.find('a')?.value).toBe('value');
    keys.isLoading = false;
    expect(keys.find('a')).toBeUndefined();
  });

  it('loses it when it is set again, unless the expiry is kept', () => {
    setUntil('a', 2_000);
    keys.set('a', 'second', true);
    expect(keys.find('a')?.expiresAtMs).toBe(2_000);
    keys.set('a', 'third');
    expect([keys.find('a')?.expiresAtMs, keys.expiring]).toEqual([0, 0]);
    nowMs = 3_000;
    expect(keys.string('a')).toBe('third');
  });
});

describe('the removal of due keys', () => {
  it('removes those that are due, without a command that names them', () => {
    for (const [key, atMs] of [
      ['late', 9_000],
      ['b', 3_000],
      ['a', 2_000],
    ] as const)
      setUntil(key, atMs);
    keys.set('never', 'value');
    nowMs = 3_000;
    expect(keys.expireDue(5)).toBe(true);
    expect(keys.expiredKeys).toEqual(['a', 'b']);
    expect([...keys.keys()]).toEqual(['late', 'never']);
  });

  it('leaves keys whose expiry was moved or removed, or that were created again', () => {
    const [moved, removed] = [setUntil('moved', 2_000), setUntil('removed', 2_000)];
    keys.setExpiry(moved, 9_000);
    keys.setExpiry(removed, 0);
    setUntil('again', 2_000);
    keys.delete('again');
    keys.set('again', 'value');
    nowMs = 3_000;
    expect(keys.expireDue(5)).toBe(true);
    expect([...keys.keys()]).toEqual(['moved', 'removed', 'again']);
    nowMs = 9_000;
    keys.expireDue(5);
    expect(keys.expiredKeys).toEqual(['moved']);
  });

  it('pauses at the end of its time, and continues in the next call', () => {
    for (let n = 0; n < 200; n++) setUntil(`k${n}`, 2_000);
    nowMs = 2_000;
    readingMs = 10;
    expect(keys.expireDue(5)).toBe(false);
    expect(keys.size).toBe(200 - 64);
    readingMs = 0;
    expect(keys.expireDue(5)).toBe(true);
    expect(keys.size).toBe(0);
  });

  it('waits for a key that a rewrite of the log has not saved yet', () => {
    setUntil('a', 2_000);
    let isUnsaved = true;
    keys.observe(needing(() => isUnsaved));
    nowMs = 2_000;
    expect(keys.expireDue(5)).toBe(true);
    expect(keys.size).toBe(1);
    isUnsaved = false;
    keys.expireDue(5);
    expect(keys.size).toBe(0);
  });
});

describe('the eviction of a key', () => {
  /** Samples all places in turn instead of random ones. */
  const sampleAll = () => {
    let n = 0;
    vi.spyOn(Math, 'random').mockImplementation(() => (n++ % 8) / 8);
  };

  it('removes the one that was used longest ago', () => {
    for (const key of ['a', 'b', 'c', 'd']) keys.set(key, 'value');
    for (const key of ['b', 'a', 'd']) {
      nowMs++;
      keys.use(key);
    }
    sampleAll();
    expect([keys.evictOne(), keys.evictOne(), keys.evictOne()]).toEqual(['c', 'b', 'a']);
    expect([...keys.keys()]).toEqual(['d']);
  });

  it('prefers a key that a rewrite of the log does not need', () => {
    for (const key of ['a', 'b', 'c']) {
      nowMs++;
      keys.set(key, 'value');
    }
    keys.observe(needing(({ key }) => key === 'b'));
    keys.use('a');
    sampleAll();
    // `a` is sampled first, `b` is unsaved.
    expect(keys.evictOne()).toBe('a');
  });

  it('finds no key in an empty store', () => {
    expect(keys.evictOne()).toBeUndefined();
  });
});

describe('the counted bytes', () => {
  it('grow and shrink with values, and are 0 without keys', () => {
    keys.set('a', 'x'.repeat(100));
    const small = keys.usedBytes;
    keys.set('a', 'x'.repeat(1_100));
    expect(keys.usedBytes).toBe(small + 1_000);
    keys.set('a', 'x'.repeat(100));
    expect([keys.usedBytes, keys.peakBytes]).toEqual([small, small + 1_000]);
    const set = keys.changingOrNew('set', SetValue);
    const empty = keys.usedBytes;
    set.add('member');
    keys.changed('set');
    expect(keys.usedBytes).toBeGreaterThan(empty);
    keys.clear();
    expect([keys.usedBytes, keys.size]).toEqual([0, 0]);
  });
});

describe('a collection that becomes empty', () => {
  it('is removed, except a stream', () => {
    const set = keys.changingOrNew('set', SetValue);
    set.add('member');
    keys.changed('set');
    keys.changingOrNew('stream', StreamValue);
    keys.changed('stream');
    expect([...keys.keys()]).toEqual(['set', 'stream']);
    set.delete('member');
    keys.changed('set');
    expect([...keys.keys()]).toEqual(['stream']);
  });

  it('refuses commands of another type', () => {
    keys.set('a', 'value');
    expect(() => keys.collection('a', SetValue)).toThrow('WRONGTYPE');
    keys.changingOrNew('set', SetValue);
    expect(() => keys.string('set')).toThrow('WRONGTYPE');
  });
});

describe('a watched key (MEM-51)', () => {
  it.each<[string, () => void]>([
    ['is set', () => keys.set('a', 'other')],
    ['is deleted', () => keys.delete('a')],
    ['gets an expiry', () => keys.setExpiry(keys.find('a') as Entry, 9_000)],
    [
      'expires',
      () => {
        keys.setExpiry(keys.find('a') as Entry, 1_500);
        nowMs = 2_000;
        keys.find('a');
      },
    ],
    ['is removed with all keys', () => keys.clear()],
  ])('makes its transaction fail if it %s', (_, change) => {
    keys.set('a', 'value');
    const watch = { isDirty: false };
    keys.watch('a', watch);
    change();
    expect(watch.isDirty).toBe(true);
  });

  it('leaves the transaction alone if others change, if it was absent when all were removed, and after unwatch', () => {
    keys.set('a', 'value');
    const watches = ['a', 'absent', 'a'].map((key) => ({ key, isDirty: false }));
    for (const watch of watches) keys.watch(watch.key, watch);
    keys.set('b', 'value');
    keys.unwatch('a', watches[2] as { isDirty: boolean });
    keys.clear();
    expect(watches.map(({ isDirty }) => isDirty)).toEqual([true, false, false]);
  });

  it('does not count an expiry before the watch as a change', () => {
    setUntil('a', 1_500);
    nowMs = 2_000;
    const watch = { isDirty: false };
    keys.watch('a', watch);
    keys.find('a');
    keys.expireDue(5);
    expect(watch.isDirty).toBe(false);
  });
});

describe('the large keys that a rewrite needs before a command runs', () => {
  it('are those that a write names, and expired ones that a read names', () => {
    keys.set('a', 'value');
    setUntil('b', 1_500);
    nowMs = 2_000;
    const unsaved = (isWriter: boolean) => keys.unsaved(['a', 'b', 'a', 'absent'], isWriter).map(({ key }) => key);
    expect(unsaved(true)).toEqual([]);
    keys.observe(needing(() => true));
    expect(unsaved(true)).toEqual(['a', 'b']);
    expect(unsaved(false)).toEqual(['b']);
  });
});
