import { readFileSync, writeFileSync } from 'node:fs';

const PAGE_BYTES = 4096;
/** First byte of a leaf page of an index (https://sqlite.org/fileformat2.html, section 1.6). */
const INDEX_LEAF = 0x0a;

/** Flips one bit of an id in the id index and nowhere else: `d000777` becomes `d000773`. The file must be closed. */
export function flipIndexedId(file: string, id: string): void {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(id); at >= 0; at = bytes.indexOf(id, at + 1)) {
    if (bytes[Math.floor(at / PAGE_BYTES) * PAGE_BYTES] !== INDEX_LEAF) continue;
    const last = at + id.length - 1;
    bytes[last] = (bytes[last] as number) ^ 0x04;
    writeFileSync(file, bytes);
    return;
  }
  throw new Error(`No index page has ${id}`);
}
