import { crc32 } from 'node:zlib';

/**
 * The checksum kept in column `c` of a document's row, over everything a reader gets from it. SQLite does not notice a
 * flipped byte inside a value; this does. Unsigned 32 bits.
 * @param stored column `j`
 */
export function rowChecksum(version: number, id: string, stored: string): number {
  return crc32(`${version}:${id}:${stored}`);
}
