import type { Filter } from '../Filter.js';
import type { JsonObject } from '../Json.js';
import { chooseAccess } from './chooseAccess.js';
import { compileFilter, eachLeaf, toGroup, type Constant } from './compileFilter.js';
import { isLeaf, type CompiledLeaf, type CompiledTest } from './CompiledTest.js';
import { FieldIndex } from './FieldIndex.js';
import { ONCE, REST, SURE, WHOLE, type HandleTable } from './HandleTable.js';
import type { MatchRun } from './MatchRun.js';
import { PathTrie } from './PathTrie.js';
import { removeHandle } from './PostingList.js';
import type { SharedPattern } from './SharedPattern.js';

/** With more fields than this, a document is walked instead of asked for each. */
const MAX_ASKED_FIELDS = 16;

/** The filters of one collection: their fields, and those that every document matches. */
export class CollectionFilters {
  count = 0;
  private readonly fields = new Map<string, FieldIndex>();
  /** Fields that lead to filters. */
  private readonly probed: FieldIndex[] = [];
  private readonly watchingAbsence = new Set<FieldIndex>();
  private readonly always: number[] = [];
  private trie: PathTrie | undefined;

  constructor(
    private readonly table: HandleTable,
    readonly index: string,
    readonly collection: string,
  ) {}

  get fieldCount(): number {
    return this.fields.size;
  }

  get byteCount(): number {
    let bytes = 400 + this.always.length * 8;
    for (const field of this.fields.values()) bytes += field.byteCount + 2 * field.path.length;
    return bytes;
  }

  /** @returns the slot */
  add(filter: Filter, id: string): number {
    const { table } = this;
    const slot = table.allocate(undefined);
    table.ids[slot] = id;
    table.collection[slot] = this;
    table.residual[slot] = undefined;
    table.access[slot] = undefined;
    table.remainder[slot] = SURE;
    const test = this.compile(filter);
    this.count++;
    if (test === 'everything') {
      table.position[slot] = this.always.length;
      this.always.push(slot);
    } else if (test !== 'nothing') this.place(test, slot);
    return slot;
  }

  remove(slot: number): void {
    const { table } = this;
    const residual = table.residual[slot];
    const rest = table.remainder[slot] === REST ? residual : undefined;
    const isListed = table.access[slot] === undefined;
    for (let handle = slot; handle >= 0; handle = table.handleAfter(handle)) {
      const leaf = table.access[handle];
      if (leaf === undefined) continue;
      leaf.field.remove(leaf, handle, table, rest);
      this.updateProbe(leaf.field);
      // Of a whole residual the access conditions are part.
      if (table.remainder[slot] === SURE || table.remainder[slot] === REST) this.release(leaf);
    }
    if (residual !== undefined) eachLeaf(residual, (leaf) => this.release(leaf));
    if (isListed) removeHandle(this.always, slot, table.position);
    table.release(slot);
    this.count--;
  }

  /** Finds the filters that match the run's document. */
  collect(document: JsonObject, id: string | undefined, run: MatchRun): void {
    const { always, probed } = this;
    for (let i = 0; i < always.length; i++) run.add(always[i] as number);
    if (probed.length <= MAX_ASKED_FIELDS) {
      for (let i = 0; i < probed.length; i++) (probed[i] as FieldIndex).collect(run);
      return;
    }
    this.walk(document, id, run);
    for (const field of run.walked) if (field.probeAt >= 0) field.collect(run);
    for (const field of this.watchingAbsence) {
      if (field.valueIn(run) === undefined) field.collect(run);
    }
  }

  forgetGenerations(): void {
    for (const field of this.fields.values()) field.forgetGenerations();
  }

  private compile(filter: Filter): CompiledTest | Constant {
    const fields: FieldIndex[] = [];
    const patterns: [FieldIndex, SharedPattern][] = [];
    const test = compileFilter(filter, {
      fieldOf: (path) => {
        const field = this.fieldOf(path);
        fields.push(field);
        return field;
      },
      patternOf: (field, pattern) => {
        const shared = field.sharePattern(pattern);
        patterns.push([field, shared]);
        return shared;
      },
    });
    if (typeof test !== 'string') eachLeaf(test, retain);
    // What was folded away is used by nobody.
    for (const [field, shared] of patterns) field.dropUnused(shared);
    for (const field of fields) if (field.useCount === 0) this.dropField(field);
    return test;
  }

  /** Puts the filter behind its access conditions. */
  private place(test: CompiledTest, slot: number): void {
    const { table } = this;
    const { leaves } = chooseAccess(test, this.count);
    const [residual, remainder] = residualOf(test, leaves);
    table.residual[slot] = residual;
    table.remainder[slot] = remainder;
    const rest = remainder === REST ? residual : undefined;
    let handle = slot;
    for (const leaf of leaves) {
      if (leaf !== leaves[0]) handle = table.allocate(slot);
      table.access[handle] = leaf;
      leaf.field.add(leaf, handle, table, rest);
      this.updateProbe(leaf.field);
    }
  }

  private walk(document: JsonObject, id: string | undefined, run: MatchRun): void {
    if (this.trie === undefined) {
      this.trie = new PathTrie();
      for (const field of this.fields.values()) this.trie.add(field);
    }
    this.trie.walk(document, run);
    const identifier = this.fields.get('_id');
    if (id === undefined || identifier === undefined) return;
    // The document's own key `_id` does not count for a stored document.
    if (identifier.setValue(id, run.generation)) run.walked.push(identifier);
  }

  private fieldOf(path: string): FieldIndex {
    let field = this.fields.get(path);
    if (field === undefined) {
      field = new FieldIndex(path);
      this.fields.set(path, field);
      this.trie?.add(field);
    }
    return field;
  }

  private release(leaf: CompiledLeaf): void {
    const { field } = leaf;
    field.useCount--;
    if (leaf.kind === 'regexp') {
      leaf.operand.useCount--;
      field.dropUnused(leaf.operand);
    }
    if (field.useCount === 0) this.dropField(field);
  }

  private dropField(field: FieldIndex): void {
    this.fields.delete(field.path);
    this.trie?.remove(field);
    if (this.fields.size <= MAX_ASKED_FIELDS) this.trie = undefined;
  }

  /** Keeps the list of fields that lead to filters. */
  private updateProbe(field: FieldIndex): void {
    const { probed } = this;
    if (field.watchesAbsence) this.watchingAbsence.add(field);
    else if (this.watchingAbsence.size > 0) this.watchingAbsence.delete(field);
    if (field.isProbed === field.probeAt >= 0) return;
    if (field.isProbed) {
      field.probeAt = probed.length;
      probed.push(field);
      return;
    }
    const last = probed.pop();
    if (last !== undefined && last !== field) {
      probed[field.probeAt] = last;
      last.probeAt = field.probeAt;
    }
    field.probeAt = -1;
  }
}

function retain(leaf: CompiledLeaf): void {
  leaf.field.useCount++;
  if (leaf.kind === 'regexp') leaf.operand.useCount++;
}

/** What is left to test once an access condition holds. */
function residualOf(
  test: CompiledTest,
  access: readonly CompiledLeaf[],
): readonly [CompiledTest | undefined, number] {
  if (isLeaf(test)) return [undefined, SURE];
  if (test.kind === 'or') return [test, test.operand.every(isLeaf) ? ONCE : WHOLE];
  const [first] = access;
  const rest = test.operand.filter((each) => each !== first);
  const [only] = rest;
  if (access.length > 1 || rest.length === test.operand.length) return [test, WHOLE];
  return [rest.length === 1 ? only : toGroup('and', rest), REST];
}
