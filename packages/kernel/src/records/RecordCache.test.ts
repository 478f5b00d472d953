import { describe, expect, it } from 'vitest';
import { RecordCache } from './RecordCache.js';

describe('RecordCache', () => {
  it('answers with a value, without a second read, once a record was read', async () => {
    let reads = 0;
    const cache = new RecordCache<string>(
      10,
      async (id) => `${id} ${++reads}`,
      (text) => text,
    );
    expect(await cache.get('a')).toBe('a 1');
    expect(cache.get('a')).toBe('a 1');
    cache.drop('a');
    expect(await cache.get('a')).toBe('a 2');
  });

  it('does not keep what was read before a change and arrives after it', async () => {
    let answer: (record: string) => void = () => undefined;
    const reads = [new Promise<string>((resolve) => (answer = resolve)), Promise.resolve('new')];
    const cache = new RecordCache<string>(
      10,
      () => reads.shift() ?? null,
      (text) => text,
    );
    const early = cache.get('a');
    cache.drop('a');
    answer('old');
    expect(await early).toBe('old');
    expect(await cache.get('a')).toBe('new');
  });

  it('keeps no record of what is absent, and no more records than allowed', () => {
    const asked: string[] = [];
    const cache = new RecordCache<string>(
      2,
      (id) => {
        asked.push(id);
        return id === 'absent' ? null : id;
      },
      (text) => text,
    );
    for (const id of ['a', 'absent', 'absent', 'b', 'a', 'c', 'b', 'c', 'a']) void cache.get(id);
    expect(asked).toEqual(['a', 'absent', 'absent', 'b', 'c', 'a']);
  });

  it('keeps no more bytes than allowed, and nothing larger than that', () => {
    const asked: string[] = [];
    const load = (id: string): object[] => {
      asked.push(id);
      return id.startsWith('large') ? Array<object>(10_000).fill({}) : Array<object>(1_000).fill({});
    };
    const cache = new RecordCache<object[]>(1_000, load, (list) => list, 500_000);
    const ids = Array.from({ length: 10 }, (_, n) => `r${n}`);
    for (const id of ids) void cache.get(id);
    // An empty object takes 64 bytes at least.
    const kept = ids.filter((id) => cache.known(id) !== undefined);
    expect(kept).toEqual(['r4', 'r5', 'r6', 'r7', 'r8', 'r9'].slice(-kept.length));
    expect(kept.length).toBeGreaterThan(2);
    void cache.get('large');
    expect(cache.known('large')).toBeUndefined();
    for (const id of kept) cache.drop(id);
    for (const id of kept) void cache.get(id);
    expect(kept.every((id) => cache.known(id) !== undefined)).toBe(true);
  });
});
