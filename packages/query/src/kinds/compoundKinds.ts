import { invalid } from '../errors.js';
import { resolveMinimumShouldMatch } from '../parse/parseMinimumShouldMatch.js';
import { bodyParser } from '../parse/queryBase.js';
import type { Query, QueryBase } from '../tree/Query.js';
import { NO_FIELD, type QueryKinds } from './QueryKind.js';
import { readMinimumShouldMatch } from './textOptions.js';

/** Queries joined; `filter` and `mustNot` select without a score. */
export interface BoolQuery<Q = Query> extends QueryBase {
  readonly kind: 'bool';
  readonly must: readonly Q[];
  readonly filter: readonly Q[];
  readonly should: readonly Q[];
  readonly mustNot: readonly Q[];
  /** A resolved number of `should` clauses, all defaults applied; if it exceeds their number, nothing matches. */
  readonly minimumShouldMatch: number;
}
/** The documents that match the filter, each with score `boost`. */
export interface ConstantScoreQuery<Q = Query> extends QueryBase {
  readonly kind: 'constant_score';
  readonly filter: Q;
}
/** Any of the queries; the best score plus `tieBreaker` × the others. */
export interface DisMaxQuery<Q = Query> extends QueryBase {
  readonly kind: 'dis_max';
  readonly queries: readonly Q[];
  readonly tieBreaker: number;
}
/** The documents that match `positive`; if `negative` matches too, the score × `negativeBoost`. */
export interface BoostingQuery<Q = Query> extends QueryBase {
  readonly kind: 'boosting';
  readonly positive: Q;
  readonly negative: Q;
  readonly negativeBoost: number;
}

/** The clauses of a `bool` without any. */
export const NO_CLAUSES = { must: [], filter: [], should: [], mustNot: [], minimumShouldMatch: 0 } as const;

/** The queries made of others. */
export const COMPOUND_KINDS: QueryKinds<'bool' | 'constant_score' | 'dis_max' | 'boosting'> = {
  bool: {
    ...NO_FIELD,
    parse: bodyParser('bool', (options, base, parser) => {
      const rules = readMinimumShouldMatch(options);
      const clauses = (key: string) => parser.parseList(options.raw(key), `${options.path}.${key}`);
      const [must, filter, should] = [clauses('must'), clauses('filter'), clauses('should')];
      const mustNot = clauses('must_not');
      if (must.length + filter.length + should.length + mustNot.length === 0) return { kind: 'match_all', ...base };
      const isShouldAlone = must.length + filter.length === 0 && should.length > 0;
      const minimum = rules === undefined ? 0 : resolveMinimumShouldMatch(rules, should.length);
      // Without other selecting clauses, an explicit 0 still requires one match (SEARCH-22).
      const minimumShouldMatch = isShouldAlone ? Math.max(1, minimum) : minimum;
      return { kind: 'bool', must, filter, should, mustNot, minimumShouldMatch, ...base };
    }),
    bind: (query, binder) => ({
      ...query,
      must: binder.bindAll(query.must),
      filter: binder.bindAll(query.filter),
      should: binder.bindAll(query.should),
      mustNot: binder.bindAll(query.mustNot),
    }),
    clauses: ({ must, filter, should, mustNot }) => ({ positive: [...must, ...filter, ...should], excluding: mustNot }),
    isUnscored: ({ must, should }, isClauseUnscored) => should.length === 0 && must.every(isClauseUnscored),
  },
  constant_score: {
    ...NO_FIELD,
    parse: bodyParser('constant_score', (options, base, parser) => {
      const key = options.has('filter') ? 'filter' : 'query';
      const inner = options.raw(key) ?? options.fail('filter', 'a query');
      options.end();
      return { kind: 'constant_score', filter: parser.parse(inner, `${options.path}.${key}`), ...base };
    }),
    bind: (query, binder) => ({ ...query, filter: binder.bind(query.filter) }),
    clauses: ({ filter }) => ({ positive: [filter] }),
    isUnscored: () => true,
  },
  dis_max: {
    ...NO_FIELD,
    parse: bodyParser('dis_max', (options, base, parser) => {
      const { path } = options;
      const tieBreaker = options.number('tie_breaker', { min: 0, max: 1 }) ?? 0;
      const queries = parser.parseList(options.raw('queries'), `${path}.queries`);
      options.end();
      if (queries.length === 0) throw invalid(path, `dis_max at ${path} needs "queries": a list of queries`);
      return { kind: 'dis_max', queries, tieBreaker, ...base };
    }),
    bind: (query, binder) => ({ ...query, queries: binder.bindAll(query.queries) }),
    clauses: ({ queries }) => ({ positive: queries }),
  },
  boosting: {
    ...NO_FIELD,
    parse: bodyParser('boosting', (options, base, parser) => {
      const { path } = options;
      const positive = options.raw('positive') ?? options.fail('positive', 'a query');
      const negative = options.raw('negative') ?? options.fail('negative', 'a query');
      const factor = options.number('negative_boost', { min: 0 }) ?? options.fail('negative_boost', 'a number ≥ 0');
      options.end();
      return {
        kind: 'boosting',
        positive: parser.parse(positive, `${path}.positive`),
        negative: parser.parse(negative, `${path}.negative`),
        negativeBoost: factor,
        ...base,
      };
    }),
    bind: (query, binder) => ({
      ...query,
      positive: binder.bind(query.positive),
      negative: binder.bind(query.negative),
    }),
    clauses: ({ positive, negative }) => ({ positive: [positive], rescoring: [negative] }),
  },
};
