import type { JsonObject, JsonValue } from '@millrace/language';
import type { Filter } from '../Filter.js';
import { chooseAccess } from './chooseAccess.js';
import { compileFilter, eachLeaf, toGroup, type Constant } from './compileFilter.js';
import { isLeaf, type CompiledLeaf, type CompiledTest } from './CompiledTest.js';
import { FieldIndex } from './FieldIndex.js';
import { ANY, ONCE, REST, SURE, WHOLE, type HandleTable } from './HandleTable.js';
import type { MatchRun } from './MatchRun.js';
import { PathTrie } from './PathTrie.js';
import type { PatternSearches, SharedPattern } from './PatternSearches.js';
import { removeHandle } from './PostingList.js';

interface Residual {
  readonly remainder: number;
  /** For ANY and REST one residual per access condition; for WHOLE and ONCE only the first one. */
  readonly residuals: readonly (CompiledTest | undefined)[];
}

/** With more fields than this, the document is walked instead of probed for each field. */
const MAX_ASKED_FIELDS = 16;

/** The filters of one collection: their fields, and the filters that match every document. */
export class CollectionFilters {
  count = 0;
  private readonly fields = new Map<string, FieldIndex>();
  /** Fields with access conditions. */
  private readonly probed: FieldIndex[] = [];
  private readonly watchingAbsence = new Set<FieldIndex>();
  private readonly always: number[] = [];
  private trie: PathTrie | undefined;

  /** @param hasSeveralValues see `ValueFilters` */
  constructor(
    private readonly table: HandleTable,
    private readonly searches: PatternSearches,
    readonly index: string,
    readonly collection: string,
    private readonly hasSeveralValues = false,
  ) {}

  get fieldCount(): number {
    return this.fields.size;
  }

  get byteCount(): number {
    let bytes = 400 + this.always.length * 8;
    for (const field of this.fields.values()) bytes += field.byteCount + 2 * field.path.length;
    return bytes;
  }

  /** Adds a filter. @returns its slot */
  add(id: string, filter: Filter): number {
    const { table } = this;
    const slot = table.allocate(undefined);
    table.ids[slot] = id;
    table.collection[slot] = this;
    table.residual[slot] = undefined;
    table.access[slot] = undefined;
    table.remainder[slot] = SURE;
    this.count++;
    const test = this.compile(filter);
    if (test === 'everything') {
      table.position[slot] = this.always.length;
      this.always.push(slot);
    } else if (test !== 'nothing') this.placeAll(test, slot);
    return slot;
  }

  remove(slot: number): void {
    const { table } = this;
    const remainder = table.remainder[slot];
    const isListed = table.access[slot] === undefined;
    const test = table.residual[slot];
    for (let handle = slot; handle >= 0; handle = table.handleAfter(handle)) {
      const leaf = table.access[handle];
      if (leaf === undefined) continue;
      const rest = remainder === REST || remainder === ANY ? table.residual[handle] : undefined;
      leaf.field.remove(leaf, handle, table, rest);
      this.updateProbe(leaf.field);
      // The residual of kind WHOLE contains the access conditions.
      if (remainder === SURE || remainder === REST || remainder === ANY) this.release(leaf);
      if (rest !== undefined) eachLeaf(rest, (each) => this.release(each));
    }
    if (test !== undefined && (remainder === WHOLE || remainder === ONCE)) {
      eachLeaf(test, (leaf) => this.release(leaf));
    }
    if (isListed) removeHandle(this.always, slot, table.position);
    table.release(slot);
    this.count--;
  }

  /** Finds the filters that match the document of the run. */
  collect(document: JsonObject, id: string | undefined, run: MatchRun): void {
    const { probed } = this;
    this.collectAlways(run);
    if (probed.length <= MAX_ASKED_FIELDS) {
      for (let i = 0; i < probed.length; i++) (probed[i] as FieldIndex).collect(run);
      return;
    }
    this.walk(document, id, run);
    this.collectWalked(run);
  }

  /** Adds a value of a field. @returns whether it is the first one; true if no filter names the field */
  put(path: string, value: JsonValue, run: MatchRun): boolean {
    const field = this.fields.get(path);
    if (field === undefined) return true;
    const isFirst = field.addValue(value, run.generation);
    if (isFirst) run.walked.push(field);
    return isFirst;
  }

  /** Finds the filters that match the values that were put. */
  collectPut(run: MatchRun): void {
    this.collectAlways(run);
    this.collectWalked(run);
  }

  private collectAlways(run: MatchRun): void {
    const { always } = this;
    for (let i = 0; i < always.length; i++) run.add(always[i] as number);
  }

  private collectWalked(run: MatchRun): void {
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
      hasSeveralValues: this.hasSeveralValues,
      fieldOf: (path) => {
        let field = this.fields.get(path);
        if (field === undefined) fields.push((field = this.openField(path)));
        return field;
      },
      patternOf: (field, pattern) => {
        const shared = field.sharePattern(pattern, this.searches);
        if (shared.useCount === 0) patterns.push([field, shared]);
        return shared;
      },
    });
    if (typeof test !== 'string') eachLeaf(test, retain);
    // Releases patterns of leaves that were folded away.
    for (const [field, shared] of patterns) field.dropUnused(shared);
    for (const field of fields) if (field.useCount === 0) this.dropField(field);
    return test;
  }

  /** Indexes a filter under its access conditions. Each has a handle; the first handle is the slot. */
  private placeAll(test: CompiledTest, slot: number): void {
    const { table } = this;
    const { leaves } = chooseAccess(test, this.count);
    const { remainder, residuals } = residualOf(test, leaves);
    table.remainder[slot] = remainder;
    for (let i = 0; i < leaves.length; i++) {
      this.place(leaves[i] as CompiledLeaf, i === 0 ? slot : table.allocate(slot), residuals[i]);
    }
  }

  /** Indexes a filter under one of its access conditions. */
  private place(leaf: CompiledLeaf, handle: number, residual: CompiledTest | undefined): void {
    const { table } = this;
    const remainder = table.remainder[table.owner[handle] ?? 0];
    table.access[handle] = leaf;
    table.residual[handle] = residual;
    const rest = remainder === REST || remainder === ANY ? residual : undefined;
    leaf.field.add(leaf, handle, table, rest);
    this.updateProbe(leaf.field);
  }

  private walk(document: JsonObject, id: string | undefined, run: MatchRun): void {
    if (this.trie === undefined) {
      this.trie = new PathTrie();
      for (const field of this.fields.values()) this.trie.add(field);
    }
    this.trie.walk(document, run);
    const identifier = this.fields.get('_id');
    if (id === undefined || identifier === undefined) return;
    // For a stored document, the document's own key `_id` doesn't count.
    if (identifier.setValue(id, run.generation)) run.walked.push(identifier);
  }

  private openField(path: string): FieldIndex {
    const field = new FieldIndex(path);
    this.fields.set(path, field);
    this.trie?.add(field);
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

  /** Maintains the list of fields with access conditions. */
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

/** The test that remains once an access condition holds. */
function residualOf(test: CompiledTest, access: readonly CompiledLeaf[]): Residual {
  if (isLeaf(test)) return { remainder: SURE, residuals: [] };
  if (test.kind === 'or') {
    if (test.operand.every(isLeaf)) return { remainder: ONCE, residuals: [test] };
    // A part with several access conditions would be tested for each of them.
    if (access.length > test.operand.length) return { remainder: WHOLE, residuals: [test] };
    return { remainder: ANY, residuals: test.operand.map((part, i) => without(part, access[i])) };
  }
  const [first] = access;
  if (access.length > 1 || first === undefined || !test.operand.includes(first)) {
    return { remainder: WHOLE, residuals: [test] };
  }
  return { remainder: REST, residuals: [without(test, first)] };
}

/** A conjunction without one of its parts; undefined for a leaf. */
function without(test: CompiledTest, leaf: CompiledLeaf | undefined): CompiledTest | undefined {
  if (isLeaf(test)) return undefined;
  // The remaining parts stay ordered by cost.
  const rest = test.operand.filter((each) => each !== leaf);
  return rest.length === 1 ? rest[0] : toGroup('and', rest);
}
