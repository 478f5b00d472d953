import { describe, expect, it } from 'vitest';
import { parseIp } from '@millrace/query';
import { addressHash, doubleHash, longHash, termHash } from './termHash.js';

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
  it('put addresses where Elasticsearch puts them: two in partition 0 of 3, two in 1', () => {
    const partitions = ['::1', '10.0.0.3', '10.0.0.1', '2001:db8::1'].map(
      (address) => ((addressHash(parseIp(address) ?? '') % 3) + 3) % 3,
    );
    expect(partitions).toEqual([0, 0, 1, 1]);
  });
  it('tell doubles of either sign apart', () => {
    expect(new Set([1.5, -1.5, 0, 2.25].map(doubleHash)).size).toBe(4);
  });
});
