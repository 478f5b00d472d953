import type { JsonValue } from '@millrace/language';
import { invalid } from '../../errors.js';
import type * as tree from '../../tree/Query.js';
import { Options } from '../Options.js';
import { resolveMinimumShouldMatch } from '../parseMinimumShouldMatch.js';
import { readBase } from '../queryBase.js';
import type { Binders } from '../queryBinders.js';
import type { QueryParser } from '../QueryParser.js';
import type { Parsers } from '../queryParsers.js';
import { readMinimumShouldMatch } from './textQueries.js';

function parseBool(
  value: JsonValue | undefined,
  path: string,
  parser: QueryParser,
): tree.BoolQuery | tree.MatchAllQuery {
  const options = Options.from(value, path, 'bool');
  const base = readBase(options);
  const rules = readMinimumShouldMatch(options);
  const clauses = (key: string) => parser.parseList(options.raw(key), `${path}.${key}`);
  const [must, filter, should] = [clauses('must'), clauses('filter'), clauses('should')];
  const mustNot = clauses('must_not');
  options.end();
  if (must.length + filter.length + should.length + mustNot.length === 0) {
    return { kind: 'match_all', ...base };
  }
  const isShouldAlone = must.length + filter.length === 0 && should.length > 0;
  const minimum = rules === undefined ? 0 : resolveMinimumShouldMatch(rules, should.length);
  return {
    kind: 'bool',
    must,
    filter,
    should,
    mustNot,
    // Without other selecting clauses, an explicit 0 still requires one match (SEARCH-22).
    minimumShouldMatch: isShouldAlone ? Math.max(1, minimum) : minimum,
    ...base,
  };
}

function parseConstantScore(value: JsonValue | undefined, path: string, parser: QueryParser): tree.ConstantScoreQuery {
  const options = Options.from(value, path, 'constant_score');
  const base = readBase(options);
  const key = options.has('filter') ? 'filter' : 'query';
  const inner = options.raw(key) ?? options.fail('filter', 'a query');
  options.end();
  return { kind: 'constant_score', filter: parser.parse(inner, `${path}.${key}`), ...base };
}

function parseDisMax(value: JsonValue | undefined, path: string, parser: QueryParser): tree.DisMaxQuery {
  const options = Options.from(value, path, 'dis_max');
  const base = readBase(options);
  const tieBreaker = options.number('tie_breaker', { min: 0, max: 1 }) ?? 0;
  const queries = parser.parseList(options.raw('queries'), `${path}.queries`);
  options.end();
  if (queries.length === 0) throw invalid(path, `dis_max at ${path} needs "queries": a list of queries`);
  return { kind: 'dis_max', queries, tieBreaker, ...base };
}

function parseBoosting(value: JsonValue | undefined, path: string, parser: QueryParser): tree.BoostingQuery {
  const options = Options.from(value, path, 'boosting');
  const base = readBase(options);
  const positive = options.raw('positive') ?? options.fail('positive', 'a query');
  const negative = options.raw('negative') ?? options.fail('negative', 'a query');
  const negativeBoost = options.number('negative_boost', { min: 0 }) ?? options.fail('negative_boost', 'a number ≥ 0');
  options.end();
  return {
    kind: 'boosting',
    positive: parser.parse(positive, `${path}.positive`),
    negative: parser.parse(negative, `${path}.negative`),
    negativeBoost,
    ...base,
  };
}

/** The queries made of others. */
export const COMPOUND_PARSERS: Parsers = {
  bool: parseBool,
  constant_score: parseConstantScore,
  dis_max: parseDisMax,
  boosting: parseBoosting,
};

export const COMPOUND_BINDERS: Binders<'bool' | 'constant_score' | 'dis_max' | 'boosting'> = {
  bool: (query, binder) => ({
    ...query,
    must: binder.bindAll(query.must),
    filter: binder.bindAll(query.filter),
    should: binder.bindAll(query.should),
    mustNot: binder.bindAll(query.mustNot),
  }),
  constant_score: (query, binder) => ({ ...query, filter: binder.bind(query.filter) }),
  dis_max: (query, binder) => ({ ...query, queries: binder.bindAll(query.queries) }),
  boosting: (query, binder) => ({
    ...query,
    positive: binder.bind(query.positive),
    negative: binder.bind(query.negative),
  }),
};
