import {
  positiveClauses,
  type CrossFieldsQuery,
  type ExpandedQuery,
  type Query,
} from '@millrace/query';
import { groupsOfFields } from '../queries/compileCrossFields.js';
import type { SearchScope } from '../SearchScope.js';
import { conditionOf, type Condition } from './conditionOf.js';
import type { Wanted } from './Wanted.js';
import { wantedByLeaf } from './wantedByLeaf.js';

/** What a clause looks for, which counts where the clause matches. */
export interface WantedWhere extends Wanted {
  /** Of the clauses around it that a hit need not match. */
  readonly conditions: readonly Condition[];
  /** Only adds to a score that nobody asks for: it counts where terms are marked wherever they stand. */
  readonly isIdle: boolean;
}

/** The place in a query that is being looked at. */
interface Around {
  /** Whether what is highlighted matches there. */
  readonly isCertain: boolean;
  readonly conditions: readonly Condition[];
  readonly isScored: boolean;
  readonly isLoose: boolean;
  readonly isIdle: boolean;
}

/**
 * Everything a query looks for in texts and keywords. What it excludes is not among it.
 * @param isCertain whether all that is highlighted matches the query
 */
export function wantedBy(
  query: ExpandedQuery,
  scope: SearchScope,
  isCertain: boolean,
): WantedWhere[] {
  const found: WantedWhere[] = [];
  const visit = (given: ExpandedQuery, around: Around) => {
    const inner = given.kind === 'cross_fields' ? byGroups(given, scope) : given;
    const own = ownCondition(inner, around.isCertain, scope);
    const conditions = own === undefined ? around.conditions : [...around.conditions, own];
    const isScored = around.isScored && inner.boost !== 0;
    // Lucene sees the words of a phrase through the query around it, but not that they are one.
    const isLoose = around.isLoose || inner.kind === 'function_score';
    for (const clause of positiveClauses(inner)) {
      visit(clause as ExpandedQuery, {
        // The slots of nested objects are others.
        isCertain: inner.kind === 'nested' || isRequired(inner, clause),
        conditions,
        isScored: isScoredIn(inner, clause, isScored),
        isLoose,
        isIdle: around.isIdle || (!isScored && isOptional(inner, clause)),
      });
    }
    for (const wanted of wantedByLeaf(inner, scope)) {
      const { isIdle } = around;
      found.push({ ...wanted, conditions, isIdle, ...(around.isLoose ? { isLoose: true } : {}) });
    }
  };
  visit(query, { isCertain, conditions: [], isScored: true, isLoose: false, isIdle: false });
  return found;
}

function byGroups(query: CrossFieldsQuery, scope: SearchScope): ExpandedQuery {
  const queries = groupsOfFields(query, scope);
  const { boost, path, tieBreaker } = query;
  return queries.length > 1 ? { kind: 'dis_max', queries, tieBreaker, boost, path } : query;
}

function ownCondition(
  query: ExpandedQuery,
  isCertain: boolean,
  scope: SearchScope,
): Condition | undefined {
  // Lucene finds no places in texts for what a minimum of the score has let through.
  if (query.kind === 'function_score' && query.minScore !== undefined) return () => false;
  const isSure = isCertain ? !mayExcludeMore(query, scope) : isShownByTerms(query);
  return isSure ? undefined : conditionOf(query, scope);
}

/**
 * Whether more may be seen to be excluded than is: an exception from what is excluded may be missed, and the words of nested
 * objects are not indexed with the document.
 */
function mayExcludeMore(query: ExpandedQuery, scope: SearchScope, isExcluded = false): boolean {
  const excluded = query.kind === 'bool' ? query.mustNot : [];
  return (
    (isExcluded && (excluded.length > 0 || asksElsewhere(query, scope))) ||
    excluded.some((inner) => mayExcludeMore(inner as ExpandedQuery, scope, true)) ||
    positiveClauses(query).some((inner) =>
      mayExcludeMore(inner as ExpandedQuery, scope, isExcluded),
    )
  );
}

function asksElsewhere(query: ExpandedQuery, { index }: SearchScope): boolean {
  const isElsewhere = (name: string) => {
    const field = index.mapping.fields.get(name);
    return field !== undefined && !index.shows(field);
  };
  if (query.kind === 'cross_fields') return query.fields.some(({ field }) => isElsewhere(field));
  return 'field' in query && isElsewhere(query.field);
}

/** Whether each document with one of its terms matches a query. */
function isShownByTerms(query: ExpandedQuery): boolean {
  switch (query.kind) {
    case 'term':
    case 'terms':
    case 'prefix':
    case 'wildcard':
    case 'regexp':
    case 'fuzzy':
    case 'range':
      return true;
    case 'match':
      return query.operator === 'or' && query.minimumShouldMatch === undefined;
    default:
      return false;
  }
}

function isRequired(query: ExpandedQuery, clause: Query): boolean {
  if (query.kind === 'bool') return query.must.includes(clause) || query.filter.includes(clause);
  return query.kind !== 'dis_max' || query.queries.length === 1;
}

/** Whether a clause only adds to the score: Lucene drops it where nobody asks for that. */
function isOptional(query: ExpandedQuery, clause: Query): boolean {
  if (query.kind !== 'bool' || query.minimumShouldMatch > 0) return false;
  return query.must.length + query.filter.length > 0 && query.should.includes(clause);
}

/** Whether the score of a clause counts, as far as Lucene follows it: not through other queries than these two. */
function isScoredIn(query: ExpandedQuery, clause: Query, isScored: boolean): boolean {
  if (query.kind === 'constant_score') return false;
  return query.kind !== 'bool' || (isScored && !query.filter.includes(clause));
}

/**
 * What is left to see where terms are marked wherever they stand. Beside a phrase Lucene knows the words that it has read
 * from the query, and the patterns: not what a pattern for one term is, nor the words below a `function_score`.
 */
export function seenByTerms<W extends Wanted>(wanted: readonly W[]): readonly W[] {
  const isPhrase = ({ places, endsInPrefix, isLoose }: Wanted) =>
    isLoose !== true && (places.length > 1 || endsInPrefix === true);
  if (!wanted.some(isPhrase)) return wanted;
  return wanted.flatMap((one) => {
    if (one.isLiteral === true) return [];
    if (one.isLoose !== true) return [one];
    const places = one.places.filter(({ isPattern }) => isPattern === true);
    return places.length === 0 ? [] : [{ ...one, places }];
  });
}
