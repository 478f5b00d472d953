/*
 * Reads the hits of a search from single documents, with the code of the executor: sort values and their order, scores
 * and sources are those that a search over the collection would give.
 */
import type { JsonObject, JsonValue } from '@millrace/language';
import { FieldReader, SourceSelection, type BoundSearch, type CompiledMapping } from '@millrace/query';
import type { AggregationResult } from '../aggregations/AggregationRun.js';
import { documentScope, type DocumentScope } from '../documentScope.js';
import type { IndexedDocument } from '../index/DocumentIndexer.js';
import { matchQuery } from '../matchQuery.js';
import { constantMatches, scoreAt } from '../queries/Matches.js';
import { needsScores } from '../results/Ranking.js';
import { toFloat } from '../sorting/toFloat.js';
import { compileSort } from '../sorting/compileSort.js';
import { isAfter } from '../sorting/searchAfter.js';
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
  /** Reads the values that the order depends on; undefined: all are needed. */
  private readonly sortFields: FieldReader | undefined;

  /**
   * @param search sorted, by `_id` at last, so that no two hits are equal
   * @param mapping to which the search is bound
   */
  constructor(
    private readonly search: BoundSearch,
    private readonly mapping: CompiledMapping,
  ) {
    this.selection = new SourceSelection(search.source);
    const ordinals = sortOrdinals(search, mapping);
    if (ordinals !== null) {
      this.sortFields = new FieldReader(mapping, (ordinal) => ordinals.has(ordinal));
    }
  }

  /** The results of the aggregations over one document that the query matches. @throws Refusal */
  aggregate(scope: DocumentScope): AggregationResult {
    return computeAlone(this.search.aggregations, scope);
  }

  /**
   * @param document that the query matches
   * @param getScope gives its scope with all fields
   * @throws Refusal
   */
  hit(document: IndexedDocument, getScope: () => DocumentScope): LiveHit {
    const { query, sort = [] } = this.search;
    const { source } = document;
    const { mapping, sortFields } = this;
    const scope = sortFields === undefined ? getScope() : documentScope(document, mapping, sortFields);
    const isScored = needsScores(this.search);
    const matches = isScored ? matchQuery(query, scope, true) : constantMatches(scope.index.living(), 0);
    const keys = sort.map((criterion) => compileSort(criterion, matches, scope));
    return {
      score: isScored ? toFloat(scoreAt(matches, 0)) : null,
      sort: keys.map((key) => key.show(0)),
      source: this.search.source.enabled ? this.selection.show(source, null) : undefined,
      isAfter: (values) => isAfter(keys, values, 0),
    };
  }
}

/** Ordinals of the fields by whose values a search is sorted; null: its order depends on others too. */
function sortOrdinals(search: BoundSearch, { fields }: CompiledMapping): ReadonlySet<number> | null {
  if (needsScores(search)) return null;
  const ordinals = new Set<number>();
  for (const criterion of search.sort ?? []) {
    if (criterion.kind !== 'field' && criterion.kind !== 'geoDistance') continue;
    if (criterion.nested !== undefined) return null;
    const field = fields.get(criterion.field);
    if (field !== undefined) ordinals.add(field.ordinal);
  }
  return ordinals;
}
