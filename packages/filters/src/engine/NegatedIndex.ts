import type { JsonValue } from '@millrace/language';
import type { CompiledLeaf } from './CompiledTest.js';
import type { FieldIndex } from './FieldIndex.js';
import { tagOf, type HandleTable } from './HandleTable.js';
import { IntegerList } from './IntegerList.js';
import { LeafIndex } from './LeafIndex.js';
import type { MatchRun } from './MatchRun.js';
import { removeHandle } from './PostingList.js';

/**
 * Negated access conditions on one field. They hold for most documents, so the index looks up the conditions that they
 * negate and takes all others: filters without further conditions by copying the whole list and removing the few
 * excluded ones, the rest at two comparisons each.
 */
export class NegatedIndex {
  /** Slots of filters that consist of the condition only. */
  private readonly sure = new IntegerList([]);
  private readonly handles: number[] = [];
  /** `missing`: excluded by any value. */
  private readonly missing: number[] = [];
  private readonly excluding = new LeafIndex();

  get isEmpty(): boolean {
    return this.sure.length === 0 && this.handles.length === 0 && this.missing.length === 0;
  }

  get byteCount(): number {
    const listed = this.handles.length + this.missing.length;
    return listed * 8 + this.sure.items.length * 4 + this.excluding.byteCount;
  }

  add(leaf: CompiledLeaf, handle: number, table: HandleTable): void {
    if (leaf.kind !== 'exists') this.excluding.add(leaf, handle, table, undefined);
    if (leaf.kind !== 'exists' && tagOf(handle, table) < 0) {
      table.negativePosition[handle] = this.sure.length;
      this.sure.push(handle);
      return;
    }
    const list = leaf.kind === 'exists' ? this.missing : this.handles;
    table.negativePosition[handle] = list.length;
    list.push(handle);
  }

  remove(leaf: CompiledLeaf, handle: number, table: HandleTable): void {
    if (leaf.kind !== 'exists') this.excluding.remove(leaf, handle, table, undefined);
    const at = table.negativePosition[handle] ?? 0;
    if (leaf.kind !== 'exists' && tagOf(handle, table) < 0) {
      const moved = this.sure.removeAt(at);
      table.negativePosition[moved] = at;
      return;
    }
    const list = leaf.kind === 'exists' ? this.missing : this.handles;
    removeHandle(list, handle, table.negativePosition);
  }

  /** @param value undefined if absent: then every negated condition holds */
  collect(value: JsonValue | undefined, field: FieldIndex, run: MatchRun): void {
    const { generation } = run;
    const { sure } = this;
    if (value === undefined) {
      for (let i = 0; i < this.missing.length; i++) run.add(this.missing[i] as number);
      for (let i = 0; i < this.handles.length; i++) run.add(this.handles[i] as number);
      run.addSlots(sure.items, sure.length);
      return;
    }
    run.exclusions.begin();
    this.excluding.collect(value, field, generation, run.exclusions);
    for (const each of field.more ?? []) {
      this.excluding.collect(each, field, generation, run.exclusions);
    }
    const { excludedAt } = run.table;
    for (let i = 0; i < this.handles.length; i++) {
      const handle = this.handles[i] as number;
      if (excludedAt[handle] !== generation) run.add(handle);
    }
    if (sure.length > 0) run.addSlotsBut(sure.items, sure.length);
  }

  forgetGenerations(): void {
    this.excluding.forgetGenerations();
  }
}
