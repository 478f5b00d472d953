import { expandFields } from '../lucene/expandFields.js';
import type { CompiledMapping } from '../mapping/CompiledMapping.js';
import type { Highlight } from '../tree/Highlight.js';
import type { ExpandedQuery, NestedQuery, Query } from '../tree/Query.js';
import { positiveClauses } from '../tree/positiveClauses.js';
import { highlightedFields } from './highlightedFields.js';
import { assertEndable } from './assertEndable.js';
import { CLAUSE_WORK, leafWork } from './leafWork.js';
import { WorkTally } from './WorkTally.js';

/** A listed object beside a text that a pattern is put to. */
const OBJECT_WORK = 0.1;
/** A text is read and cut into words whatever is marked in it. */
const TEXT_WORK = 20;

/** What the work of a query depends on. */
export interface QuerySurroundings {
  readonly compiled: CompiledMapping;
  /** Documents whose inner hits are listed: the page, or the hits around these. */
  readonly hitCount: number;
  /** The nested field whose objects it searches; undefined: documents. */
  readonly nestedPath?: string | undefined;
}

/** Adds the work of a query, its inner hits included. @throws QueryError for what has no end, and when more than 1,024 clauses come out */
export function addQueryWork(query: Query, around: QuerySurroundings, tally: WorkTally): void {
  addExpanded(expandFields(query, around.compiled, around.nestedPath), around, tally);
}

function addExpanded(query: ExpandedQuery, around: QuerySurroundings, tally: WorkTally): void {
  assertEndable(query, around.compiled);
  tally.add('lookups', CLAUSE_WORK + leafWork(query), query.path);
  // Without hits nobody lists their objects: a query weighed for its look-ups alone is walked once.
  if (query.kind === 'nested' && query.innerHits !== undefined && around.hitCount > 0) {
    const { from, size } = query.innerHits;
    const shownCount = around.hitCount * (from + size);
    addInnerHitsWork(query, shownCount, around, tally);
    addExpanded(query.query as ExpandedQuery, { ...around, hitCount: shownCount }, tally);
    return;
  }
  for (const child of childrenOf(query)) addExpanded(child as ExpandedQuery, around, tally);
}

/** Each hit is searched again for its objects. */
function addInnerHitsWork(
  { path, query, innerHits }: NestedQuery,
  shownCount: number,
  { compiled, hitCount }: QuerySurroundings,
  tally: WorkTally,
): void {
  const lookups = lookupsOf(query, compiled);
  tally.add('passages', shownCount * OBJECT_WORK + hitCount * lookups, path);
  if (innerHits?.highlight === undefined) return;
  const marked = { compiled, hitCount: shownCount, lookups, path };
  addHighlightWork(innerHits.highlight, marked, tally);
}

function childrenOf(query: ExpandedQuery): readonly Query[] {
  switch (query.kind) {
    case 'bool':
      return [...positiveClauses(query), ...query.mustNot];
    case 'boosting':
      return [query.positive, query.negative];
    case 'function_score':
      return [query.query, ...query.functions.flatMap(({ filter }) => filter ?? [])];
    default:
      return positiveClauses(query);
  }
}

/** What is marked, and by what. */
export interface HighlightSurroundings {
  readonly compiled: CompiledMapping;
  readonly hitCount: number;
  /** Of the query that is marked. */
  readonly lookups: number;
  readonly path: string;
}

/** Adds the work of marking: every pattern is put to every word of every field shown. */
export function addHighlightWork(
  { fields }: Highlight,
  { compiled, hitCount, lookups, path }: HighlightSurroundings,
  tally: WorkTally,
): void {
  for (const { field, highlightQuery } of fields) {
    const fieldCount = highlightedFields(field, compiled).length;
    const patterns = highlightQuery === undefined ? lookups : lookupsOf(highlightQuery, compiled);
    tally.add('passages', hitCount * fieldCount * Math.max(TEXT_WORK, patterns), path);
  }
}

function lookupsOf(query: Query, compiled: CompiledMapping): number {
  const own = new WorkTally();
  addQueryWork(query, { compiled, hitCount: 0 }, own);
  return own.amountOf('lookups');
}
