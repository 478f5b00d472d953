import type { WindowHit } from './WindowHit.js';

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * A hash of a window (FOLLOW-6), by which a client sees that its window is the server's: FNV-1a with 32 bits over the
 * UTF-8 of `<id> <version>` and a line feed for each hit, in order.
 * @returns 8 hexadecimal digits
 */
export function windowCheck(hits: readonly Pick<WindowHit, 'id' | 'version'>[]): string {
  let hash = OFFSET_BASIS;
  const lines = hits.map(({ id, version }) => `${id} ${version}\n`).join('');
  const bytes = Buffer.from(lines);
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] as number), PRIME);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
