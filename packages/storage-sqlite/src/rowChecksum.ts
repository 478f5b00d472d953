import { crc32 } from 'node:zlib';

/**
 * The checksum in column `c` of a document's row, over all values that a reader gets from it. SQLite does not detect a
 * flipped byte inside a value; this checksum does. Unsigned 32 bits.
 * @param stored column `j`
 */
export function rowChecksum(version: number, id: string, stored: string): number {
  return crc32(`${version}:${id}:${stored}`);
}
