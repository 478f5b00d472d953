import type { JsonValue } from '../Json.js';
import type { CompiledLeaf } from './CompiledTest.js';
import type { FieldIndex } from './FieldIndex.js';
import type { HandleTable } from './HandleTable.js';
import { LeafIndex } from './LeafIndex.js';
import type { MatchRun } from './MatchRun.js';
import { removeHandle } from './PostingList.js';

/**
 * Negated conditions on one field that lead to filters. They hold for most documents, so the index finds those that do
 * not hold, by the conditions they negate, and takes all others: two comparisons each.
 */
export class NegatedIndex {
  private readonly handles: number[] = [];
  /** `missing`: the conditions that any value excludes. */
  private readonly missing: number[] = [];
  private readonly excluding = new LeafIndex();

  get isEmpty(): boolean {
    return this.handles.length === 0 && this.missing.length === 0;
  }

  get byteCount(): number {
    return (this.handles.length + this.missing.length) * 8 + this.excluding.byteCount;
  }

  add(leaf: CompiledLeaf, handle: number, table: HandleTable): void {
    const list = leaf.kind === 'exists' ? this.missing : this.handles;
    table.negativePosition[handle] = list.length;
    list.push(handle);
    if (leaf.kind !== 'exists') this.excluding.add(leaf, handle, table, undefined);
  }

  remove(leaf: CompiledLeaf, handle: number, table: HandleTable): void {
    const list = leaf.kind === 'exists' ? this.missing : this.handles;
    removeHandle(list, handle, table.negativePosition);
    if (leaf.kind !== 'exists') this.excluding.remove(leaf, handle, table, undefined);
  }

  /** @param value undefined: absent, and every negated condition holds */
  collect(value: JsonValue | undefined, field: FieldIndex, run: MatchRun): void {
    const { generation } = run;
    if (value === undefined) {
      for (let i = 0; i < this.missing.length; i++) run.add(this.missing[i] as number);
      for (let i = 0; i < this.handles.length; i++) run.add(this.handles[i] as number);
      return;
    }
    this.excluding.collect(value, field, generation, run.exclusions);
    const { excludedAt } = run.table;
    for (let i = 0; i < this.handles.length; i++) {
      const handle = this.handles[i] as number;
      if (excludedAt[handle] !== generation) run.add(handle);
    }
  }

  forgetGenerations(): void {
    this.excluding.forgetGenerations();
  }
}
