import { crc32 } from 'node:zlib';

/** A number that spreads terms evenly over the partitions of a terms aggregation. */
export function termHash(term: string): number {
  return crc32(term);
}
