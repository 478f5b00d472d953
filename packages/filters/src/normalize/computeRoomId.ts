import { hash } from 'node:crypto';

const ROOM_ID_BYTES = 16;

/**
 * The identity of a room (FILTER-40): 32 lower-case hexadecimal digits of SHA-256 over the canonical
 * JSON of collection, filter and index. The same on all nodes and after a restart.
 * @param normalForm as `normalizeFilter` returns it
 */
export function computeRoomId(index: string, collection: string, normalForm: string): string {
  const text = `{"collection":${JSON.stringify(collection)},"filter":${normalForm},"index":${JSON.stringify(index)}}`;
  // A slice would keep the whole longer string alive.
  return hash('sha256', text, 'buffer').toString('hex', 0, ROOM_ID_BYTES);
}
