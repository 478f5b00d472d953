import type { WireHit } from '../collection/Document.js';

/** The hash of a list of hits that deltas carry (FOLLOW-6): FNV-1a over ids and versions. */
export function windowCheck(hits: readonly WireHit[]): string {
  let hash = 0x811c9dc5;
  const text = hits.map(({ _id, _version }) => `${_id} ${_version}\n`).join('');
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
