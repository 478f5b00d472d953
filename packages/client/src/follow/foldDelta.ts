import type { Delta, HitChange, PatchOperation, WireResult } from './Delta.js';
import type { WireHit } from '../collection/Document.js';

/** The result after a delta. The former one stays as it is. @throws Error if the delta doesn't fit */
export function foldDelta(result: WireResult, delta: Delta): WireResult {
  const { cursor, changes, total = result.total, aggregations: patch = [] } = delta;
  const hits = [...result.hits];
  for (const change of changes) step(hits, change);
  return { cursor, hits, total, aggregations: patch.reduce(patched, result.aggregations) };
}

function step(hits: WireHit[], { op, id, at = -1, hit }: HitChange): void {
  if (op === 'remove' || op === 'move') {
    const place = hits.findIndex(({ _id }) => _id === id);
    if (place < 0) throw new Error('unknown hit');
    hits.splice(place, 1);
  }
  if (hit !== undefined) hits.splice(at, op === 'update' ? 1 : 0, hit);
}

function patched(value: unknown, { op, path, value: next }: PatchOperation): unknown {
  const names = path
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return set(value, names, op, next);
}

/** A copy with another value at a place. */
function set(holder: unknown, [name, ...rest]: readonly string[], op: string, value: unknown): unknown {
  if (name === undefined) return value;
  const copy = (Array.isArray(holder) ? [...(holder as unknown[])] : { ...(holder as object) }) as Record<string, unknown>;
  if (op === 'remove' && rest.length === 0) Reflect.deleteProperty(copy, name);
  else copy[name] = set(copy[name], rest, op, value);
  return copy;
} // prettier-ignore
