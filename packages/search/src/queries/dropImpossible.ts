/*
 * A server rewrites queries before it runs them, and what can match nothing takes with it what it stands beside: its words
 * are marked nowhere, and its inner hits are not there. Which queries a server knows for that: those on single terms of
 * fields that are not mapped, but no analysed texts; ranges that all dates of a field are on one side of; lists of nothing.
 */
import type { BoolQuery, ExpandedQuery, MatchNoneQuery, Query, RangeQuery } from '@millrace/query';
import { nestedScope } from '../nestedScope.js';
import { visibleIndex, type SearchScope } from '../SearchScope.js';
import { fieldsToExist } from './compileExists.js';
import { compileQuery } from './compileQuery.js';

const ID = '_id';

/** The query with `match_none` for what a server drops. @param query after `expandFields` */
export function dropImpossible(query: Query, scope: SearchScope): ExpandedQuery {
  const expanded = query as ExpandedQuery;
  switch (expanded.kind) {
    case 'bool':
      return dropFromBool(expanded, scope);
    case 'dis_max': {
      const queries = expanded.queries.map((inner) => dropImpossible(inner, scope));
      return { ...expanded, queries };
    }
    case 'constant_score': {
      const filter = dropImpossible(expanded.filter, scope);
      return isNone(filter) ? none(expanded) : { ...expanded, filter };
    }
    case 'boosting': {
      const positive = dropImpossible(expanded.positive, scope);
      const negative = dropImpossible(expanded.negative, scope);
      return isNone(positive) ? none(expanded) : { ...expanded, positive, negative };
    }
    case 'function_score': {
      const inner = dropImpossible(expanded.query, scope);
      const functions = expanded.functions.map((entry) =>
        entry.filter === undefined
          ? entry
          : { ...entry, filter: dropImpossible(entry.filter, scope) },
      );
      return isNone(inner) ? none(expanded) : { ...expanded, query: inner, functions };
    }
    case 'nested': {
      const inside = nestedScope(scope, expanded.nestedPath);
      if (inside === undefined) return expanded;
      return { ...expanded, query: dropImpossible(expanded.query, inside) };
    }
    default:
      return isImpossible(expanded, scope) ? none(expanded) : expanded;
  }
}

function dropFromBool(query: BoolQuery, scope: SearchScope): ExpandedQuery {
  const all = (queries: readonly Query[]) => queries.map((inner) => dropImpossible(inner, scope));
  const [must, filter, should] = [all(query.must), all(query.filter), all(query.should)];
  const isWithoutChoice = must.length + filter.length === 0 && should.length > 0;
  return must.some(isNone) ||
    filter.some(isNone) ||
    (isWithoutChoice && should.every(isNone)) ||
    query.mustNot.some(isAll)
    ? none(query)
    : { ...query, must, filter, should };
}

function isImpossible(query: ExpandedQuery, scope: SearchScope): boolean {
  switch (query.kind) {
    case 'ids':
      return query.values.length === 0;
    case 'terms':
      return query.values.length === 0 || isUnmapped(query, scope);
    case 'term':
    case 'prefix':
    case 'wildcard':
    case 'fuzzy':
      return isUnmapped(query, scope);
    case 'range':
      return isUnmapped(query, scope) || isBesideAllDates(query, scope);
    case 'exists':
      return fieldsToExist(query, scope).size === 0;
    default:
      return false;
  }
}

function isUnmapped({ field }: { readonly field: string }, { index }: SearchScope): boolean {
  return field !== ID && !index.mapping.fields.has(field);
}

/** Whether there are no dates within or around the range; those of nested objects count wherever the query stands. */
function isBesideAllDates(query: RangeQuery, scope: SearchScope): boolean {
  const { lower, upper, ...rest } = query;
  const field = scope.index.mapping.fields.get(query.field);
  if (field?.type !== 'date') return false;
  const { nestedPath } = field;
  const isNearby = nestedPath === undefined || scope.index.shows(field);
  const inside = isNearby ? scope : nestedScope(scope, nestedPath);
  if (inside === undefined) return false;
  const isEmpty = (range: RangeQuery) =>
    compileQuery(range, inside).match(false).slots.length === 0;
  return (
    visibleIndex(inside, query.field) === undefined ||
    isEmpty(lower === undefined ? rest : { ...rest, lower }) ||
    isEmpty(upper === undefined ? rest : { ...rest, upper })
  );
}

function none({ boost, path }: ExpandedQuery): MatchNoneQuery {
  return { kind: 'match_none', boost, path };
}

function isNone({ kind }: Query): boolean {
  return kind === 'match_none';
}

function isAll(query: Query): boolean {
  if (query.kind !== 'bool') return query.kind === 'match_all';
  const { must, filter, should, mustNot } = query;
  return must.length + filter.length + should.length + mustNot.length === 0;
}
