/*
 * Whether a clause matches where its words are to be marked. Lucene asks that of a text without the words that the query
 * wants nowhere: what a clause excludes by the field itself is mostly not there to be seen, and what is excluded from that
 * is missed. Other fields are seen as they are.
 */
import {
  positiveClauses,
  type BoolQuery,
  type CrossFieldsQuery,
  type ExpandedQuery,
  type Query,
} from '@millrace/query';
import type { PlacedTokenList } from '../analysis/PlacedTokenList.js';
import { groupsOfFields } from '../queries/compileCrossFields.js';
import { searchedTerms } from '../queries/compileMatch.js';
import { compileQuery } from '../queries/compileQuery.js';
import { advance } from '../queries/setOperations.js';
import type { SearchScope } from '../SearchScope.js';
import { isInTexts } from './isInTexts.js';

/** A field of a hit, as far as its words are seen. */
export interface HitText {
  readonly slot: number;
  readonly field: string;
  /** Whether it is indexed with the hit: a nested one is not, and is seen by its words alone. */
  readonly isIndexed: boolean;
  /** The words of each of its texts that are seen; undefined: all that are indexed. */
  readonly seen: (() => readonly PlacedTokenList[]) | undefined;
}

/** Whether a clause matches a hit, as far as it goes for the highlights of a field. */
export type Condition = (hit: HitText) => boolean;

/** @param query after `expandFields` */
export function conditionOf(query: ExpandedQuery, scope: SearchScope): Condition {
  const matcher = new HitMatcher(scope);
  return (hit) => matcher.matches(query, hit, false);
}

class HitMatcher {
  private readonly slots = new Map<ExpandedQuery, Int32Array>();
  private readonly groups = new Map<CrossFieldsQuery, readonly CrossFieldsQuery[]>();
  private readonly elsewhere = new Map<CrossFieldsQuery, readonly ExpandedQuery[]>();

  constructor(private readonly scope: SearchScope) {}

  /** @param isExcluded whether the query stands in what another one excludes */
  matches(query: ExpandedQuery, hit: HitText, isExcluded: boolean): boolean {
    const { field, isIndexed, seen } = hit;
    const isWhole = isExcluded || !isIndexed ? !isAbout(query, field) : !excludesBy(query, field);
    if (isWhole || seen === undefined) return this.isFound(query, hit.slot);
    const isMet = (inner: Query) => this.matches(inner as ExpandedQuery, hit, isExcluded);
    switch (query.kind) {
      case 'bool':
        return this.matchesBool(query, hit, isMet);
      case 'dis_max':
        return query.queries.some(isMet);
      case 'constant_score':
        return isMet(query.filter);
      case 'boosting':
        return isMet(query.positive);
      case 'function_score':
        return isMet(query.query);
      case 'nested':
        return this.isFound(query, hit.slot);
      default: {
        const groups = query.kind === 'cross_fields' ? this.groupsOf(query) : [];
        if (groups.length > 1) return groups.some((group) => this.matches(group, hit, isExcluded));
        return isInTexts(query, field, seen(), this.scope, (part) => this.areElsewhere(part, hit));
      }
    }
  }

  private matchesBool(query: BoolQuery, hit: HitText, isMet: (inner: Query) => boolean): boolean {
    const { must, filter, should, mustNot, minimumShouldMatch } = query;
    const isPureNegation = must.length + filter.length + should.length === 0;
    return (
      must.every(isMet) &&
      filter.every(isMet) &&
      (isPureNegation || should.filter(isMet).length >= minimumShouldMatch) &&
      !mustNot.some((inner) => this.matches(inner as ExpandedQuery, hit, true))
    );
  }

  private groupsOf(query: CrossFieldsQuery): readonly CrossFieldsQuery[] {
    let groups = this.groups.get(query);
    if (groups === undefined) {
      groups = groupsOfFields(query, this.scope);
      // A group is one by itself.
      for (const group of groups) this.groups.set(group, [group]);
      this.groups.set(query, groups);
    }
    return groups;
  }

  private isFound(query: ExpandedQuery, slot: number): boolean {
    let found = this.slots.get(query);
    if (found === undefined) {
      found = compileQuery(query, this.scope).match(false).slots;
      this.slots.set(query, found);
    }
    return found[advance(found, 0, slot)] === slot;
  }

  /** For each word that is asked for in several fields, whether another one than the hit's has it. */
  private areElsewhere(query: CrossFieldsQuery, { field, slot }: HitText): readonly boolean[] {
    let words = this.elsewhere.get(query);
    if (words === undefined) {
      const own = this.scope.index.mapping.fields.get(field);
      const fields = query.fields.filter((other) => other.field !== field);
      const { minimumShouldMatch: _, ...rest } = query;
      const asWord = { ...rest, fields, analyzer: 'keyword' };
      words =
        own === undefined
          ? []
          : searchedTerms(own, query).map((word) => ({ ...asWord, query: word }));
      this.elsewhere.set(query, words);
    }
    return words.map((word) => this.isFound(word, slot));
  }
}

/** Whether something in the query is excluded by the field. */
function excludesBy(query: ExpandedQuery, field: string): boolean {
  return (
    (query.kind === 'bool' && query.mustNot.some((inner) => isAbout(inner, field))) ||
    positiveClauses(query).some((inner) => excludesBy(inner as ExpandedQuery, field))
  );
}

/** Whether words of the field tell what the query matches. */
function isAbout(query: Query, field: string): boolean {
  if (query.kind === 'cross_fields') return query.fields.some((one) => one.field === field);
  if ('field' in query) return query.kind !== 'exists' && query.field === field;
  const excluded = query.kind === 'bool' ? query.mustNot : [];
  return [...positiveClauses(query as ExpandedQuery), ...excluded].some((inner) =>
    isAbout(inner, field),
  );
}
