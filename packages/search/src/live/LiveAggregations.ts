import type { JsonObject } from '@millrace/language';
import type { BoundAggregation, CompiledMapping } from '@millrace/query';
import { documentScope, type DocumentScope } from '../documentScope.js';
import { KeptAggregations } from './aggregations/KeptAggregations.js';
import { computeAlone } from './computeAlone.js';
import type { LiveSearch } from './LiveSearch.js';

const NOTHING = {
  id: '',
  source: {},
  meta: { createdAt: null, updatedAt: null, author: null, updater: null },
};

/** The aggregations of a search, kept up to date from single documents. */
export class LiveAggregations {
  private readonly kept: KeptAggregations;
  private empty: DocumentScope | undefined;
  private byteCount: number;
  /** Undefined: it has changed. */
  private shown: JsonObject | undefined;

  /**
   * @param asked of the search; see `followMode`
   * @param measured the results of `measuredAggregations` over all matches
   */
  constructor(
    asked: readonly BoundAggregation[],
    measured: JsonObject,
    private readonly mapping: CompiledMapping,
  ) {
    this.byteCount = JSON.stringify(measured).length;
    this.kept = new KeptAggregations(asked, measured, {
      grow: (bytes) => (this.byteCount += bytes),
      computeEmpty: (aggregation) => {
        this.empty ??= documentScope(NOTHING, this.mapping);
        return computeAlone([aggregation], this.empty, false)[aggregation.name] ?? {};
      },
    });
  }

  /**
   * Takes over a change.
   * @param search with `measuredAggregations`
   * @param before null: the document didn't match
   * @param after null: the document doesn't match
   * @returns false: search again
   */
  apply(search: LiveSearch, before: DocumentScope | null, after: DocumentScope | null): boolean {
    const [left, entered] = [before && search.aggregate(before), after && search.aggregate(after)];
    if (JSON.stringify(left) === JSON.stringify(entered)) return true;
    this.shown = undefined;
    const isKept = left === null || this.kept.apply(left, -1);
    return isKept && (entered === null || this.kept.apply(entered, 1));
  }

  /** Estimated memory. */
  get bytes(): number {
    return this.byteCount;
  }

  /** The same object until a document changes it. */
  result(): JsonObject {
    return (this.shown ??= this.kept.result() as JsonObject);
  }
}
