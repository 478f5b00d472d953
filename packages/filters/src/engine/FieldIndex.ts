import type { JsonValue, Pattern, Point } from '@millrace/language';
import { parsePoint } from '../geo/parsePoint.js';
import type { CompiledLeaf, CompiledTest } from './CompiledTest.js';
import type { HandleTable } from './HandleTable.js';
import { LeafIndex } from './LeafIndex.js';
import type { MatchRun } from './MatchRun.js';
import { NegatedIndex } from './NegatedIndex.js';
import { SharedPattern, type PatternSearches } from './PatternSearches.js';

/** More values of a field are looked up by hash. */
const MAX_LISTED = 16;

/**
 * The access conditions of a collection's filters on one field, and the field's value in the document under test, read
 * once per document.
 */
export class FieldIndex {
  /** Number of filter leaves that name the field. */
  useCount = 0;
  /** Position among the fields with access conditions; −1 if it has none. */
  probeAt = -1;
  private readonly positive = new LeafIndex();
  private negated: NegatedIndex | undefined;
  private patterns: Map<string, SharedPattern> | undefined;
  private readAt = 0;
  private value: JsonValue | undefined;
  /** Values in addition to `value`; undefined: none. Valid if `valueIn` returns a value. */
  more: JsonValue[] | undefined;
  private moreSet: Set<JsonValue> | undefined;
  private pointAt = 0;
  private point: Point | undefined;

  /** The path is a single key that no object inherits: read without further checks. */
  private readonly isPlain: boolean;

  constructor(readonly path: string) {
    this.isPlain = !path.includes('.') && path !== '_id' && !(path in Object.prototype);
  }

  /** True if the field has access conditions. */
  get isProbed(): boolean {
    return this.negated !== undefined || !this.positive.isEmpty;
  }

  /** True if an absent value can lead to filters. */
  get watchesAbsence(): boolean {
    return this.negated !== undefined;
  }

  get byteCount(): number {
    return 300 + this.positive.byteCount + (this.negated?.byteCount ?? 0);
  }

  add(leaf: CompiledLeaf, handle: number, table: HandleTable, residual?: CompiledTest): void {
    if (leaf.isNegated) (this.negated ??= new NegatedIndex()).add(leaf, handle, table);
    else this.positive.add(leaf, handle, table, residual);
  }

  remove(leaf: CompiledLeaf, handle: number, table: HandleTable, residual?: CompiledTest): void {
    if (!leaf.isNegated) {
      this.positive.remove(leaf, handle, table, residual);
      return;
    }
    this.negated?.remove(leaf, handle, table);
    if (this.negated?.isEmpty === true) this.negated = undefined;
  }

  /** Number of filters indexed under a value. */
  loadOf(value: string | number | boolean): number {
    return this.positive.loadOf(value);
  }

  /** Finds the filters that the document's value leads to. */
  collect(run: MatchRun): void {
    const value = this.valueIn(run);
    if (value !== undefined) {
      this.positive.collect(value, this, run.generation, run);
      if (this.more !== undefined) this.collectMore(this.more, run);
    }
    this.negated?.collect(value, this, run);
  }

  private collectMore(more: readonly JsonValue[], run: MatchRun): void {
    for (const each of more) this.positive.collect(each, this, run.generation, run);
  }

  /** The field's value in the document under test; undefined where absent or null. */
  valueIn(run: MatchRun): JsonValue | undefined {
    if (this.readAt !== run.generation) {
      this.readAt = run.generation;
      this.value = this.isPlain ? run.readPlain(this.path) : run.read(this.path);
    }
    return this.value;
  }

  /** Sets the value found by a walk over the document. @returns whether it is the first one */
  setValue(value: JsonValue, generation: number): boolean {
    const isFirst = this.readAt !== generation;
    this.readAt = generation;
    this.value = value;
    return isFirst;
  }

  /** Adds a value of the document under test. @returns whether it is the first one */
  addValue(value: JsonValue, generation: number): boolean {
    if (this.readAt === generation) {
      (this.more ??= []).push(value);
      return false;
    }
    this.more = this.moreSet = undefined;
    return this.setValue(value, generation);
  }

  /** Releases the values of the document under test. */
  dropValues(): void {
    this.value = this.point = this.more = this.moreSet = undefined;
  }

  /** Whether a value is in `more`. Call it after the last `addValue`. */
  isInMore(value: JsonValue): boolean {
    const { more } = this;
    if (more === undefined) return false;
    if (more.length <= MAX_LISTED) return more.includes(value);
    return (this.moreSet ??= new Set(more)).has(value);
  }

  /** The point that one of the field's values represents; undefined if it is not a point. */
  pointOf(value: JsonValue, generation: number): Point | undefined {
    if (value !== this.value) return parsePoint(value);
    if (this.pointAt !== generation) {
      this.pointAt = generation;
      this.point = parsePoint(value);
    }
    return this.point;
  }

  /** The shared copy of a pattern; the caller counts its uses. */
  sharePattern(pattern: Pattern, searches: PatternSearches): SharedPattern {
    const key = `${pattern.effort}/${pattern.flags}/${pattern.source}`;
    this.patterns ??= new Map();
    let shared = this.patterns.get(key);
    if (shared === undefined) {
      this.patterns.set(key, (shared = new SharedPattern(key, pattern, searches)));
    }
    return shared;
  }

  /** Discards a pattern without uses. */
  dropUnused(shared: SharedPattern): void {
    if (shared.useCount > 0) return;
    this.patterns?.delete(shared.key);
    shared.drop();
    if (this.patterns?.size === 0) this.patterns = undefined;
  }

  /** Releases the values of the last document. */
  forgetGenerations(): void {
    this.readAt = this.pointAt = 0;
    this.dropValues();
    this.positive.forgetGenerations();
    this.negated?.forgetGenerations();
    for (const shared of this.patterns?.values() ?? []) shared.forget();
  }
}
