/*
 * Reads the hits of a search from single documents, with the code of the executor: sort values and their order, scores
 * and sources are those that a search over the collection would give.
 */
import type { JsonObject, JsonValue } from '@millrace/language';
import { SourceSelection, type BoundSearch } from '@millrace/query';
import type { AggregationResult } from '../aggregations/AggregationRun.js';
import type { DocumentScope } from '../documentScope.js';
import type { IndexedDocument } from '../index/DocumentIndexer.js';
import { matchQuery } from '../matchQuery.js';
import { scoreAt } from '../queries/Matches.js';
import { needsScores } from '../results/Ranking.js';
import { toFloat } from '../results/toFloat.js';
import { compileSort } from '../sorting/compileSort.js';
import { positionsAfter } from '../sorting/searchAfter.js';
import { computeAlone } from './computeAlone.js';

/** A hit that was read from its document alone. */
export interface LiveHit {
  readonly score: number | null;
  /** The values of all criteria. */
  readonly sort: readonly JsonValue[];
  /** The part of the document that the search returns; undefined: none. */
  readonly source: JsonObject | undefined;
  /** Whether it comes after a hit with these sort values. */
  readonly isAfter: (sort: readonly JsonValue[]) => boolean;
}

/** A search whose order doesn't depend on other documents: see `followMode`. */
export class LiveSearch {
  private readonly selection: SourceSelection;

  /** @param search sorted, by `_id` at last, so that no two hits are equal */
  constructor(private readonly search: BoundSearch) {
    this.selection = new SourceSelection(search.source);
  }

  /** The results of the aggregations over one document that the query matches. @throws Refusal */
  aggregate(scope: DocumentScope): AggregationResult {
    return computeAlone(this.search.aggregations, scope);
  }

  /** @param scope of a document that the query matches @throws Refusal */
  hit({ source }: IndexedDocument, scope: DocumentScope): LiveHit {
    const { query, sort = [] } = this.search;
    const isScored = needsScores(this.search);
    const matches = matchQuery(query, scope, isScored);
    const keys = sort.map((criterion) => compileSort(criterion, matches, scope));
    return {
      score: isScored ? toFloat(scoreAt(matches, 0)) : null,
      sort: keys.map((key) => key.show(0)),
      source: this.search.source.enabled ? this.selection.select(source) : undefined,
      isAfter: (values) => positionsAfter(keys, values, 1).length > 0,
    };
  }
}
