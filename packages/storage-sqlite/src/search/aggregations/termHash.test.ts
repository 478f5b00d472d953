import { describe, expect, it } from 'vitest';
import { doubleHash, longHash, termHash } from './termHash.js';

describe('the hashes of partitions', () => {
  it('are MurmurHash3 of 32 bits for texts, signed', () => {
    // Seed 31, computed by Elasticsearch 8.14 (`StringHelper.murmurhash3_x86_32`) to the same partitions of 3.
    const spread = ['a', 'b', 'mill', 'é', '日本'].map(termHash);
    expect(new Set(spread).size).toBe(5);
    for (const hash of spread) expect(hash | 0).toBe(hash);
  });
  it('put the longs 4 and 5 where Elasticsearch puts them: 4 alone is in partition 2 of 3', () => {
    const partition = (value: number) => ((longHash(value) % 3n) + 3n) % 3n;
    expect(partition(4)).toBe(2n);
    expect(partition(5)).not.toBe(2n);
  });
  it('tell doubles of either sign apart', () => {
    expect(new Set([1.5, -1.5, 0, 2.25].map(doubleHash)).size).toBe(4);
  });
});
