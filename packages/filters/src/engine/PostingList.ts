import type { HandleTable } from './HandleTable.js';
import { RangedPostings } from './RangedPostings.js';
import type { CompiledTest } from './CompiledTest.js';

/** From this many entries on, filters whose residual is one range get columns of bounds. */
const RANGED_FROM = 8;

/**
 * The filters indexed under one predicate. Removal swaps with the last entry. The position stored per handle is a hint,
 * as a handle may be in several lists (the values of an `in`); a wrong hint costs a native search.
 */
export class PostingList {
  readonly handles: number[] = [];
  /** Filters with a range as residual, by field. */
  ranged: RangedPostings[] | undefined;

  get size(): number {
    let count = this.handles.length;
    if (this.ranged !== undefined) for (const each of this.ranged) count += each.count;
    return count;
  }

  /** @param residual remaining test of the handle's filter */
  add(handle: number, table: HandleTable, residual: CompiledTest | undefined): void {
    const isRanged = residual?.kind === 'range' && !residual.isNegated;
    if (isRanged && (this.ranged !== undefined || this.handles.length >= RANGED_FROM)) {
      this.ranged ??= [];
      let postings = this.ranged.find(({ field }) => field === residual.field);
      // Limited to a few fields, so the search stays short; other fields use the plain list.
      if (postings === undefined && this.ranged.length < RANGED_FROM) {
        this.ranged.push((postings = new RangedPostings(residual.field)));
      }
      if (postings !== undefined) {
        postings.add(handle, residual.operand, table);
        return;
      }
    }
    table.position[handle] = this.handles.length;
    this.handles.push(handle);
  }

  remove(handle: number, table: HandleTable, residual: CompiledTest | undefined): void {
    if (this.ranged !== undefined && residual?.kind === 'range') {
      const at = this.ranged.findIndex(({ field }) => field === residual.field);
      const postings = this.ranged[at];
      if (postings?.remove(handle, table) === true) {
        if (postings.count === 0) this.ranged.splice(at, 1);
        if (this.ranged.length === 0) this.ranged = undefined;
        return;
      }
    }
    removeHandle(this.handles, handle, table.position);
  }
}

/** Removes a handle from a list; the last handle takes its place. */
export function removeHandle(handles: number[], handle: number, position: Int32Array): void {
  const hint = position[handle] ?? 0;
  const at = handles[hint] === handle ? hint : handles.indexOf(handle);
  if (at < 0) return;
  const last = handles.pop() ?? handle;
  if (last === handle) return;
  handles[at] = last;
  position[last] = at;
}
