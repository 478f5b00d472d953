import type { HitChange } from './HitChange.js';
import type { WindowHit } from './WindowHit.js';

/**
 * The steps from one window to another: removals first, then insertions and moves from the front to the back, then
 * hits that stay but have other content. As few hits as possible move.
 */
export function diffHits(before: readonly WindowHit[], after: readonly WindowHit[]): HitChange[] {
  if (before === after) return [];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(before[start], after[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isSame(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const changes = diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return changes.map((change) => ('at' in change ? { ...change, at: change.at + start } : change));
}

function isSame(a: WindowHit | undefined, b: WindowHit | undefined): boolean {
  return a === b || (a?.id === b?.id && a?.json === b?.json);
}

/** The steps from one window to another that begin and end with other hits. */
function diffMiddle(before: readonly WindowHit[], after: readonly WindowHit[]): HitChange[] {
  const changes: HitChange[] = [];
  const places = new Map(after.map(({ id }, place) => [id, place]));
  const ids: string[] = [];
  for (const { id } of before) {
    if (places.has(id)) ids.push(id);
    else changes.push({ op: 'remove', id });
  }
  const old = new Map(before.map((hit) => [hit.id, hit]));
  const staying = new Set(longestRise(ids, places));
  const updates: HitChange[] = [];
  let at = 0;
  for (const [place, hit] of after.entries()) {
    const { id } = hit;
    const former = old.get(id);
    if (former === undefined) {
      ids.splice(at, 0, id);
      changes.push({ op: 'insert', at, hit });
    } else if (staying.has(id)) {
      // Hits that will move away may still precede it.
      at = ids.indexOf(id, at);
      if (former.json !== hit.json) updates.push({ op: 'update', at: place, hit });
    } else {
      const from = ids.indexOf(id);
      ids.splice(from, 1);
      if (from < at) at -= 1;
      ids.splice(at, 0, id);
      changes.push({ op: 'move', id, at, hit });
    }
    at += 1;
  }
  return [...changes, ...updates];
}

/** A longest selection of ids whose places rise. */
function longestRise(ids: readonly string[], places: ReadonlyMap<string, number>): string[] {
  const place = (n: number) => places.get(ids[n] as string) as number;
  /** By length - 1: the index of the id with the smallest place that ends a rise of this length. */
  const ends: number[] = [];
  /** By index: the index before it in its rise. */
  const previous: number[] = [];
  for (let n = 0; n < ids.length; n++) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (place(ends[middle] as number) < place(n)) low = middle + 1;
      else high = middle;
    }
    previous.push(low === 0 ? -1 : (ends[low - 1] as number));
    ends[low] = n;
  }
  const rise: string[] = [];
  for (let n = ends.at(-1) ?? -1; n >= 0; n = previous[n] as number) rise.push(ids[n] as string);
  return rise;
}
