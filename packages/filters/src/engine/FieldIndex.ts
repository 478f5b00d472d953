import { parsePoint } from '../geo/parsePoint.js';
import type { Point } from '../geo/Point.js';
import type { JsonValue } from '../Json.js';
import type { Pattern } from '../regexp/Pattern.js';
import type { CompiledLeaf, CompiledTest } from './CompiledTest.js';
import type { HandleTable } from './HandleTable.js';
import { LeafIndex } from './LeafIndex.js';
import type { MatchRun } from './MatchRun.js';
import { NegatedIndex } from './NegatedIndex.js';
import type { PatternSearches } from './PatternSearches.js';
import { SharedPattern } from './SharedPattern.js';

/**
 * What a collection's filters ask of one field: the access conditions on it, and its value in the document under test,
 * read once per document.
 */
export class FieldIndex {
  /** Leaves of filters that name the field. */
  useCount = 0;
  /** Place among the fields that lead to filters; −1 for none. */
  probeAt = -1;
  private readonly positive = new LeafIndex();
  private negated: NegatedIndex | undefined;
  private patterns: Map<string, SharedPattern> | undefined;
  private readAt = 0;
  private value: JsonValue | undefined;
  private pointAt = 0;
  private point: Point | undefined;

  /** One own key that no object inherits: read without further questions. */
  private readonly isPlain: boolean;

  constructor(readonly path: string) {
    this.isPlain = !path.includes('.') && path !== '_id' && !(path in Object.prototype);
  }

  /** Does the field lead to filters? */
  get isProbed(): boolean {
    return this.negated !== undefined || !this.positive.isEmpty;
  }

  /** Does its absence lead to filters? */
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

  /** Filters that a value leads to. */
  loadOf(value: string | number | boolean): number {
    return this.positive.loadOf(value);
  }

  /** Finds the filters that the document's value leads to. */
  collect(run: MatchRun): void {
    const value = this.valueIn(run);
    if (value !== undefined) this.positive.collect(value, this, run.generation, run);
    this.negated?.collect(value, this, run);
  }

  /** The field's value in the document under test; undefined where absent or null. */
  valueIn(run: MatchRun): JsonValue | undefined {
    if (this.readAt !== run.generation) {
      this.readAt = run.generation;
      this.value = this.isPlain ? run.readPlain(this.path) : run.read(this.path);
    }
    return this.value;
  }

  /** Sets the value that a walk over the document has found. @returns whether it is the first one */
  setValue(value: JsonValue, generation: number): boolean {
    const isFirst = this.readAt !== generation;
    this.readAt = generation;
    this.value = value;
    return isFirst;
  }

  /** The point that the value stands for, if it does. */
  pointOf(value: JsonValue, generation: number): Point | undefined {
    if (this.pointAt !== generation) {
      this.pointAt = generation;
      this.point = parsePoint(value);
    }
    return this.point;
  }

  /** The one copy of a pattern; the caller counts its uses. */
  sharePattern(pattern: Pattern, searches: PatternSearches): SharedPattern {
    const key = `${pattern.effort}/${pattern.flags}/${pattern.source}`;
    this.patterns ??= new Map();
    let shared = this.patterns.get(key);
    if (shared === undefined) {
      this.patterns.set(key, (shared = new SharedPattern(key, pattern, searches)));
    }
    return shared;
  }

  /** Forgets a pattern that nothing uses. */
  dropUnused(shared: SharedPattern): void {
    if (shared.useCount > 0) return;
    this.patterns?.delete(shared.key);
    shared.drop();
    if (this.patterns?.size === 0) this.patterns = undefined;
  }

  /** Lets go of the last document's values. */
  forgetGenerations(): void {
    this.readAt = this.pointAt = 0;
    this.value = this.point = undefined;
    this.positive.forgetGenerations();
    this.negated?.forgetGenerations();
    for (const shared of this.patterns?.values() ?? []) shared.forget();
  }
}
