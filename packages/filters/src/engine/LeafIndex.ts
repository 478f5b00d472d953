import type { JsonValue } from '@millrace/language';
import { AreaIndex } from './AreaIndex.js';
import type { CompiledLeaf, CompiledTest } from './CompiledTest.js';
import { EqualityIndex } from './EqualityIndex.js';
import type { FieldIndex } from './FieldIndex.js';
import { tagOf, type HandleTable } from './HandleTable.js';
import type { Interval } from './Interval.js';
import { IntervalCells } from './IntervalCells.js';
import type { MatchSink } from './MatchSink.js';
import { PostingList } from './PostingList.js';
import { RegexpIndex } from './RegexpIndex.js';
import { SortedBounds } from './SortedBounds.js';

/**
 * Indexes for all kinds of conditions on one field; each index is created with its first entry and dropped with its
 * last.
 */
export class LeafIndex {
  private equality: EqualityIndex | undefined;
  private ranges: RangeIndex | undefined;
  private regexps: RegexpIndex | undefined;
  private areas: AreaIndex | undefined;
  private presence: PostingList | undefined;

  get isEmpty(): boolean {
    return (this.equality ?? this.ranges ?? this.regexps ?? this.areas ?? this.presence) === undefined;
  }

  get byteCount(): number {
    const parts = [this.equality, this.ranges, this.regexps, this.areas];
    const presence = (this.presence?.size ?? 0) * 16;
    return parts.reduce((sum, part) => sum + (part?.byteCount ?? 0), presence);
  }

  /** @param residual remaining test of the filter, if it is the only one */
  add(leaf: CompiledLeaf, handle: number, table: HandleTable, residual: CompiledTest | undefined): void {
    switch (leaf.kind) {
      case 'equals':
        return (this.equality ??= new EqualityIndex()).add(leaf.operand, handle, table, residual);
      case 'in':
        this.equality ??= new EqualityIndex();
        for (const value of leaf.operand) this.equality.add(value, handle, table, residual);
        return;
      case 'range':
        return (this.ranges ??= new RangeIndex()).add(leaf.operand, tagOf(handle, table));
      case 'regexp':
        return (this.regexps ??= new RegexpIndex()).add(leaf.operand, handle, table, residual);
      case 'area':
        return (this.areas ??= new AreaIndex()).add(leaf.operand, handle, table);
      case 'exists':
        return (this.presence ??= new PostingList()).add(handle, table, residual);
    }
  }

  remove(leaf: CompiledLeaf, handle: number, table: HandleTable, residual: CompiledTest | undefined): void {
    switch (leaf.kind) {
      case 'equals':
        this.equality?.remove(leaf.operand, handle, table, residual);
        break;
      case 'in':
        for (const value of leaf.operand) this.equality?.remove(value, handle, table, residual);
        break;
      case 'range':
        this.ranges?.remove(leaf.operand, tagOf(handle, table));
        break;
      case 'regexp':
        this.regexps?.remove(leaf.operand, handle, table, residual);
        break;
      case 'area':
        this.areas?.remove(handle, table);
        break;
      case 'exists':
        this.presence?.remove(handle, table, residual);
    }
    if (this.equality?.isEmpty === true) this.equality = undefined;
    if (this.ranges?.isEmpty === true) this.ranges = undefined;
    if (this.regexps?.isEmpty === true) this.regexps = undefined;
    if (this.areas?.isEmpty === true) this.areas = undefined;
    if (this.presence?.size === 0) this.presence = undefined;
  }

  /** Reports to the sink which conditions hold for a present value of the field. */
  collect(value: JsonValue, field: FieldIndex, generation: number, sink: MatchSink): void {
    if (this.presence !== undefined) sink.addAll(this.presence);
    if (typeof value !== 'object') this.equality?.collect(value, sink);
    if (typeof value === 'number') {
      this.ranges?.collect(value, sink);
      return;
    }
    if (typeof value === 'string') this.regexps?.collect(value, generation, sink);
    if (this.areas === undefined) return;
    const point = field.pointOf(value, generation);
    if (point !== undefined) this.areas.collect(point, sink);
  }

  /** Number of filters that one value of an `equals` leads to. */
  loadOf(value: string | number | boolean): number {
    return this.equality?.loadOf(value) ?? 0;
  }

  forgetGenerations(): void {
    this.regexps?.forgetGenerations();
  }
}

/** Ranges on one field: those with two bounds in cells, those with one bound sorted by it. */
class RangeIndex {
  private readonly cells = new IntervalCells();
  private readonly fromBelow = new SortedBounds();
  /** By the negated upper bound, so that both open kinds are searched alike. */
  private readonly fromAbove = new SortedBounds();

  get isEmpty(): boolean {
    return this.cells.isEmpty && this.fromBelow.isEmpty && this.fromAbove.isEmpty;
  }

  get byteCount(): number {
    return this.cells.byteCount + this.fromBelow.byteCount + this.fromAbove.byteCount;
  }

  add(interval: Interval, handle: number): void {
    const { low, high } = interval;
    if (high === Infinity) this.fromBelow.add(low, handle);
    else if (low === -Infinity) this.fromAbove.add(-high, handle);
    else this.cells.add(interval, handle);
  }

  remove(interval: Interval, handle: number): void {
    const { low, high } = interval;
    if (high === Infinity) this.fromBelow.remove(low, handle);
    else if (low === -Infinity) this.fromAbove.remove(-high, handle);
    else this.cells.remove(interval, handle);
  }

  collect(value: number, sink: MatchSink): void {
    if (!this.fromBelow.isEmpty) this.fromBelow.collect(value, sink);
    if (!this.fromAbove.isEmpty) this.fromAbove.collect(-value, sink);
    if (!this.cells.isEmpty) this.cells.collect(value, sink);
  }
}
