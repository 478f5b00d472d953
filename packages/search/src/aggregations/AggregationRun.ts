import type { JsonValue } from '@millrace/language';
import { MAX_BUCKETS, type BoundAggregation, type BoundQuery, type Highlight } from '@millrace/query';
import { Highlighter } from '../highlight/Highlighter.js';
import { NestedIndex } from '../index/NestedIndex.js';
import type { DocumentRows } from '../results/DocumentRows.js';
import { matchQuery } from '../matchQuery.js';
import type { Matches } from '../queries/Matches.js';
import { nestedScope, type NestedScope } from '../nestedScope.js';
import { Refusal } from '../Refusal.js';
import type { SearchScope } from '../SearchScope.js';

/** A result in Elasticsearch's format. */
export type AggregationResult = Record<string, unknown>;

/** Computes child aggregations over some documents. */
export type ComputeAll = (
  aggregations: readonly BoundAggregation[],
  slots: Int32Array,
  run: AggregationRun,
) => AggregationResult;

/** Computes an aggregation over the documents of a list. */
export type Compute<Kind extends BoundAggregation['kind']> = (
  aggregation: BoundAggregation & { readonly kind: Kind },
  slots: Int32Array,
  run: AggregationRun,
) => AggregationResult;

/** State shared by the aggregations of one search. */
export class AggregationRun {
  private readonly filters = new Map<BoundQuery, Int32Array>();
  private readonly highlighters = new Map<Highlight<BoundQuery>, Highlighter>();
  private readonly insides = new Map<string, AggregationRun>();

  constructor(
    readonly scope: SearchScope,
    readonly rows: DocumentRows,
    /** All matches of the search, for the scores of `top_hits`. */
    readonly matches: Matches,
    /** The query of the search, for the highlights of `top_hits`. */
    readonly query: BoundQuery,
    readonly computeAll: ComputeAll,
    /** The enclosing run, if the slots are those of nested objects. */
    readonly outside?: AggregationRun,
    private readonly budget = { bucketCount: 0 },
  ) {}

  /** The run for the objects of a nested field; undefined if there are none. */
  inside(path: string): (AggregationRun & { readonly scope: NestedScope }) | undefined {
    const scope = nestedScope(this.scope, path);
    if (scope === undefined) return undefined;
    let run = this.insides.get(path);
    if (run === undefined) {
      const unscored = { slots: new Int32Array(0), scores: undefined, score: 1 };
      run = new AggregationRun(scope, this.rows, unscored, this.query, this.computeAll, this, this.budget);
      this.insides.set(path, run);
    }
    return run as AggregationRun & { readonly scope: NestedScope };
  }

  /** The run for aggregations independent of the query: every document scores 1. */
  everywhere(): AggregationRun {
    const unscored = { slots: this.scope.index.living(), scores: undefined, score: 1 };
    return new AggregationRun(this.scope, this.rows, unscored, this.query, this.computeAll, this.outside, this.budget);
  }

  /** Counts buckets to be returned. @throws Refusal past the limit */
  addBuckets(count: number, path: string): void {
    this.budget.bucketCount += count;
    if (this.budget.bucketCount > MAX_BUCKETS) {
      throw new Refusal(
        `The aggregations give more than ${MAX_BUCKETS} buckets (at ${path}): ask for fewer, larger ones, or use composite`,
      );
    }
    this.scope.deadline.check();
  }

  /** All documents that a filter matches: computed once for all buckets. */
  filtered(query: BoundQuery): Int32Array {
    let slots = this.filters.get(query);
    if (slots === undefined) {
      slots = matchQuery(query, this.scope, false).slots;
      this.filters.set(query, slots);
    }
    return slots;
  }

  /** A highlighter for the query of the search: created once for all buckets. */
  highlighter(highlight: Highlight<BoundQuery>): Highlighter {
    let highlighter = this.highlighters.get(highlight);
    if (highlighter === undefined) {
      const isOfSlots = !(this.scope.index instanceof NestedIndex);
      highlighter = new Highlighter(highlight, this.query, this.scope, isOfSlots);
      this.highlighters.set(highlight, highlighter);
    }
    return highlighter;
  }

  /** A bucket: its members, then the results of the children over its documents. */
  bucket(
    own: AggregationResult,
    children: readonly BoundAggregation[],
    slots: Int32Array | undefined,
  ): AggregationResult {
    if (children.length === 0) return own;
    if (slots !== undefined) return withMembers(own, this.computeAll(children, slots, this));
    // In a bucket that fills a gap or is of an unmapped field, `min_doc_count` 0 returns no terms.
    const shown = children.map((child) =>
      child.kind === 'terms' && child.minDocCount === 0 ? { ...child, minDocCount: 1 } : child,
    );
    return withMembers(own, this.computeAll(shown, new Int32Array(0), this));
  }
}

/** Merges both objects without touching a prototype, whatever the names are. */
export function withMembers(a: AggregationResult, b: AggregationResult): AggregationResult {
  return Object.fromEntries([...Object.entries(a), ...Object.entries(b)]);
}

/** A number of a result: null for none, a string for `NaN` and infinities, which JSON lacks. */
export function resultNumber(value: number | undefined): JsonValue {
  if (value === undefined) return null;
  if (Number.isFinite(value)) return value;
  return String(value);
}
