import { isJsonScalar, type JsonValue } from '@millrace/language';
import { assertValues } from '../../bind/assertValues.js';
import { matchNone } from '../../bind/matchNone.js';
import type { QueryBinder } from '../../bind/QueryBinder.js';
import { coerceDecay } from '../../coerce/coerceDecay.js';
import { isNumberType } from '../../document/numberRange.js';
import { forbidden, invalid } from '../../errors.js';
import { parsePoint } from '../../geo/parsePoint.js';
import { present } from '../../present.js';
import { quote } from '../../show.js';
import type * as tree from '../../tree/Query.js';
import { checkFieldName } from '../checkFieldName.js';
import { Options } from '../Options.js';
import { readBase, readFieldEntry } from '../queryBase.js';
import type { Binders } from '../queryBinders.js';
import type { QueryParser } from '../QueryParser.js';
import type { Parsers } from '../queryParsers.js';

const FUNCTIONS = ['field_value_factor', 'gauss', 'exp', 'linear', 'random_score'] as const;
const SCORE_MODES = ['multiply', 'sum', 'avg', 'first', 'max', 'min'] as const;
const BOOST_MODES = ['multiply', 'replace', 'sum', 'avg', 'max', 'min'] as const;
const MODIFIERS = ['none', 'log', 'log1p', 'log2p', 'ln', 'ln1p', 'ln2p', 'square', 'sqrt', 'reciprocal'] as const;

function parseFunctionScore(value: JsonValue | undefined, path: string, parser: QueryParser): tree.FunctionScoreQuery {
  const options = Options.from(value, path, 'function_score');
  const base = readBase(options);
  const queryKey = options.has('query') ? 'query' : 'filter';
  const inner = options.raw(queryKey);
  const query: tree.Query =
    inner === undefined
      ? { kind: 'match_all', boost: 1, path: `${path}.query` }
      : parser.parse(inner, `${path}.${queryKey}`);
  const functions = readFunctions(options, parser);
  const result: tree.FunctionScoreQuery = {
    kind: 'function_score',
    query,
    functions,
    scoreMode: options.choice('score_mode', SCORE_MODES) ?? 'multiply',
    boostMode: options.choice('boost_mode', BOOST_MODES) ?? 'multiply',
    maxBoost: options.number('max_boost', { min: 0 }) ?? Number.POSITIVE_INFINITY,
    ...present({ minScore: options.number('min_score') }),
    ...base,
  };
  options.end();
  return result;
}

function parseDistanceFeature(value: JsonValue | undefined, path: string): tree.DistanceFeatureQuery {
  const options = Options.from(value, path, 'distance_feature');
  const base = readBase(options);
  const field = options.text('field') ?? options.fail('field', 'a field name');
  const given = options.raw('origin') ?? options.fail('origin', 'a date or a point');
  const origin = isJsonScalar(given) ? given : parsePoint(given);
  const pivot = options.scalar('pivot') ?? options.fail('pivot', 'a duration or a distance');
  options.end();
  if (origin === undefined) return options.fail('origin', 'a date or a point');
  return { kind: 'distance_feature', field: checkFieldName(field, path), origin, pivot, ...base };
}

function readFunctions(options: Options, parser: QueryParser): tree.ScoreFunctionEntry[] {
  const list = options.raw('functions');
  const single = readFunction(options);
  const weight = options.number('weight', { min: 0 });
  if (list === undefined) {
    if (single !== undefined) return [{ weight: weight ?? 1, function: single }];
    return weight === undefined ? [] : [{ weight, function: { kind: 'weight' } }];
  }
  if (!Array.isArray(list)) return options.fail('functions', 'a list of functions');
  if (single !== undefined || weight !== undefined) {
    throw invalid(options.path, `function_score at ${options.path} takes either "functions" or one function, not both`);
  }
  return (list as readonly JsonValue[]).map((item, position) => {
    const path = `${options.path}.functions[${position}]`;
    parser.countClause(path);
    return readEntry(item, path, parser);
  });
}

function readEntry(item: JsonValue, path: string, parser: QueryParser): tree.ScoreFunctionEntry {
  const options = Options.from(item, path, 'Score function');
  const given = options.raw('filter');
  const filter = given === undefined ? undefined : parser.parse(given, `${path}.filter`);
  const score = readFunction(options);
  const weight = options.number('weight', { min: 0 });
  options.end();
  if (score === undefined && weight === undefined) {
    throw invalid(path, `Score function at ${path} needs "weight" or one of ${FUNCTIONS.join(', ')}`);
  }
  return {
    weight: weight ?? 1,
    function: score ?? { kind: 'weight' },
    // A filter that matches everything is dropped.
    ...(filter === undefined || filter.kind === 'match_all' ? {} : { filter }),
  };
}

function readFunction(options: Options): tree.ScoreFunction | undefined {
  for (const key of ['script_score', 'script']) {
    if (options.has(key)) {
      const path = `${options.path}.${key}`;
      throw forbidden(path, `"${key}" is not allowed at ${options.path}`);
    }
  }
  const given = FUNCTIONS.filter((name) => options.has(name));
  const [name] = given;
  if (name === undefined) return undefined;
  if (given.length > 1) {
    throw invalid(options.path, `Only one score function may be at ${options.path}, not ${given.join(', ')}`);
  }
  const path = `${options.path}.${name}`;
  const value = options.raw(name);
  switch (name) {
    case 'field_value_factor':
      return readFieldValueFactor(Options.from(value, path, name));
    case 'random_score':
      return readRandomScore(Options.from(value, path, name));
    case 'gauss':
    case 'exp':
    case 'linear':
      return readDecay(name, Options.from(value, path, name));
  }
}

function readFieldValueFactor(options: Options): tree.ScoreFunction {
  const field = options.text('field') ?? options.fail('field', 'a field name');
  const result: tree.ScoreFunction = {
    kind: 'field_value_factor',
    field: checkFieldName(field, options.path),
    factor: options.number('factor') ?? 1,
    modifier: options.choice('modifier', MODIFIERS) ?? 'none',
    path: options.path,
    ...present({ missing: options.number('missing') }),
  };
  options.end();
  return result;
}

function readRandomScore(options: Options): tree.ScoreFunction {
  const field = options.text('field');
  const seed = options.scalar('seed');
  options.end();
  if (field !== undefined) checkFieldName(field, options.path);
  return { kind: 'random_score', ...present({ seed, field }) };
}

function readDecay(shape: 'gauss' | 'exp' | 'linear', outer: Options): tree.DecayFunction {
  const multiValueMode = outer.choice('multi_value_mode', ['min', 'max', 'avg', 'sum']) ?? 'min';
  const entry = readFieldEntry(outer.source, outer.path, shape, { options: outer });
  const options = Options.from(entry.value, entry.path, shape);
  const given = options.raw('origin');
  const origin = given === undefined || isJsonScalar(given) ? given : parsePoint(given);
  if (given !== undefined && origin === undefined) {
    options.fail('origin', 'a number, a date or a point');
  }
  const result: tree.DecayFunction = {
    kind: 'decay',
    shape,
    field: entry.field,
    scale: options.scalar('scale') ?? options.fail('scale', 'a number, a duration or a distance'),
    offset: options.scalar('offset') ?? 0,
    decay: options.number('decay', { above: 0, max: 1 }) ?? 0.5,
    multiValueMode,
    path: entry.path,
    ...present({ origin }),
  };
  options.end();
  if (result.decay === 1) throw invalid(entry.path, `decay at ${entry.path} must be below 1`);
  return result;
}

/** The queries that compute scores from values. */
export const FUNCTION_SCORE_PARSERS: Parsers = {
  function_score: parseFunctionScore,
  distance_feature: parseDistanceFeature,
};

export const FUNCTION_SCORE_BINDERS: Binders<'function_score' | 'distance_feature'> = {
  function_score: (query, binder) => ({
    ...query,
    query: binder.bind(query.query),
    functions: query.functions.map(({ filter, weight, function: score }) => ({
      ...(filter && { filter: binder.bind(filter) }),
      weight,
      function: bindFunction(score, binder),
    })),
  }),
  distance_feature(query, binder) {
    const { field, origin, pivot, path, kind } = query;
    const mapped = binder.searchedField(field, path);
    if (mapped === undefined) return matchNone(query);
    if (mapped.type !== 'date' && mapped.type !== 'geo_point') {
      throw invalid(path, `Field ${quote(field)} at ${path} must be a date or a geo_point, not ${mapped.type}`);
    }
    assertValues(mapped, path);
    const given = { origin, scale: pivot, offset: 0, path, shape: kind, scaleName: 'pivot' };
    return { ...query, mapped, coerced: coerceDecay(mapped, given, binder.binding.nowMs) };
  },
};

function bindFunction(score: tree.ScoreFunction, binder: QueryBinder): tree.BoundScoreFunction {
  if (score.kind !== 'decay' && score.kind !== 'field_value_factor') return score;
  const mapped = binder.compiled.fields.get(score.field);
  if (mapped === undefined) {
    if (score.kind === 'field_value_factor' && score.missing !== undefined) return score;
    const message = `Field ${quote(score.field)} at ${score.path} is not in the mapping`;
    throw invalid(score.path, message);
  }
  assertValues(mapped, score.path);
  if (score.kind === 'decay') return { ...score, mapped, coerced: coerceDecay(mapped, score, binder.binding.nowMs) };
  const { name, type } = mapped;
  if (isNumberType(type) || type === 'boolean' || type === 'date') return score;
  const message = `Field ${quote(name)} at ${score.path} must be a number, not ${type}`;
  throw invalid(score.path, message);
}
