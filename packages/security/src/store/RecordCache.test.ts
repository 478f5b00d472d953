import { describe, expect, it } from 'vitest';
import { RecordCache } from './RecordCache.js';

describe('RecordCache', () => {
  it('answers with a value, without a second read, once a record was read', async () => {
    let reads = 0;
    const cache = new RecordCache<string>(10, async (id) => `${id} ${++reads}`);
    expect(await cache.get('a')).toBe('a 1');
    expect(cache.get('a')).toBe('a 1');
    cache.drop('a');
    expect(await cache.get('a')).toBe('a 2');
  });

  it('does not keep what was read before a change and arrives after it', async () => {
    let answer: (record: string) => void = () => undefined;
    const reads = [new Promise<string>((resolve) => (answer = resolve)), Promise.resolve('new')];
    const cache = new RecordCache<string>(10, () => reads.shift() ?? null);
    const early = cache.get('a');
    cache.drop('a');
    answer('old');
    expect(await early).toBe('old');
    expect(await cache.get('a')).toBe('new');
  });

  it('keeps no record of what is absent, and no more records than allowed', () => {
    const asked: string[] = [];
    const cache = new RecordCache<string>(2, (id) => {
      asked.push(id);
      return id === 'absent' ? null : id;
    });
    for (const id of ['a', 'absent', 'absent', 'b', 'a', 'c', 'b', 'c', 'a']) void cache.get(id);
    expect(asked).toEqual(['a', 'absent', 'absent', 'b', 'c', 'a']);
  });
});
