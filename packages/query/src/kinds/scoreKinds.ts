import { isJsonScalar, type JsonScalar, type JsonValue, type Point } from '@millrace/language';
import { assertValues } from './assertValues.js';
import { matchNone } from './matchNone.js';
import type { QueryBinder } from './QueryBinder.js';
import { coerceDecay, type CoercedDecay } from '../coerce/coerceDecay.js';
import { isNumberType } from '../mapping/numberRange.js';
import { forbidden, invalid } from '../errors.js';
import { parsePoint } from '../geo/parsePoint.js';
import { present } from '../present.js';
import { quote } from '../show.js';
import { checkFieldName } from '../parse/checkFieldName.js';
import { Options } from '../parse/Options.js';
import { bodyParser, readFieldEntry } from '../parse/queryBase.js';
import type { QueryParser } from '../parse/QueryParser.js';
import type { BoundQuery, OnField, Query, QueryBase } from '../tree/Query.js';
import { ONE_FIELD, STEADY, type QueryKinds } from './QueryKind.js';

/** Function of `factor × value`; the logarithms `log…` have base 10. */
export type FieldValueModifier =
  'none' | 'log' | 'log1p' | 'log2p' | 'ln' | 'ln1p' | 'ln2p' | 'square' | 'sqrt' | 'reciprocal';
/** A decay's origin and lengths stay as given; see `BoundDecay`. */
export interface DecayFunction {
  readonly kind: 'decay';
  readonly shape: 'gauss' | 'exp' | 'linear';
  readonly field: string;
  readonly origin?: JsonScalar | Point;
  readonly scale: JsonScalar;
  readonly offset: JsonScalar;
  /** 0 < decay < 1, default 0.5. */
  readonly decay: number;
  readonly multiValueMode: 'min' | 'max' | 'avg' | 'sum';
  readonly path: string;
}
/** A decay on a mapped field. */
export interface BoundDecay extends DecayFunction, OnField {
  readonly coerced: CoercedDecay;
}
/** A function that computes a factor of the score. */
export type ScoreFunction =
  | { readonly kind: 'weight' }
  | {
      readonly kind: 'field_value_factor';
      readonly field: string;
      readonly factor: number;
      readonly modifier: FieldValueModifier;
      readonly missing?: number;
      readonly path: string;
    }
  | DecayFunction
  | {
      readonly kind: 'random_score';
      readonly seed?: JsonScalar;
      /** Absent: the document's id or number. */
      readonly field?: string;
    };
/** A score function bound to a mapping. */
export type BoundScoreFunction = Exclude<ScoreFunction, DecayFunction> | BoundDecay;
/** A score function with its weight and the documents it applies to. */
export interface ScoreFunctionEntry<Q = Query, F = ScoreFunction> {
  /** Absent: every document. */
  readonly filter?: Q;
  readonly weight: number;
  readonly function: F;
}
/** The score of a query modified by functions. */
export interface FunctionScoreQuery<Q = Query, F = ScoreFunction> extends QueryBase {
  readonly kind: 'function_score';
  readonly query: Q;
  readonly functions: readonly ScoreFunctionEntry<Q, F>[];
  readonly scoreMode: 'multiply' | 'sum' | 'avg' | 'first' | 'max' | 'min';
  readonly boostMode: 'multiply' | 'replace' | 'sum' | 'avg' | 'max' | 'min';
  /** Infinity if not given. */
  readonly maxBoost: number;
  readonly minScore?: number;
}
/** See `BoundScoreFunction`. */
export type BoundFunctionScore = FunctionScoreQuery<BoundQuery, BoundScoreFunction>;
/** Documents with a value, scored by its distance from an origin: `boost × pivot / (pivot + distance)`. */
export interface DistanceFeatureQuery extends QueryBase {
  readonly kind: 'distance_feature';
  /** A date or a `geo_point`. */
  readonly field: string;
  readonly origin: JsonScalar | Point;
  /** The distance at which the score is half of the boost: a duration or a length. */
  readonly pivot: JsonScalar;
}
/** A `distance_feature` on a mapped field. */
export interface BoundDistanceFeature extends DistanceFeatureQuery, OnField {
  /** `scale` is the pivot. */
  readonly coerced: CoercedDecay;
}

const FUNCTIONS = ['field_value_factor', 'gauss', 'exp', 'linear', 'random_score'] as const;
const SCORE_MODES = ['multiply', 'sum', 'avg', 'first', 'max', 'min'] as const;
const BOOST_MODES = ['multiply', 'replace', 'sum', 'avg', 'max', 'min'] as const;
const MODIFIERS = ['none', 'log', 'log1p', 'log2p', 'ln', 'ln1p', 'ln2p', 'square', 'sqrt', 'reciprocal'] as const;

function readFunctions(options: Options, parser: QueryParser): ScoreFunctionEntry[] {
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

function readEntry(item: JsonValue, path: string, parser: QueryParser): ScoreFunctionEntry {
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

function readFunction(options: Options): ScoreFunction | undefined {
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

function readFieldValueFactor(options: Options): ScoreFunction {
  const field = options.text('field') ?? options.fail('field', 'a field name');
  const result: ScoreFunction = {
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

function readRandomScore(options: Options): ScoreFunction {
  const field = options.text('field');
  const seed = options.scalar('seed');
  options.end();
  if (field !== undefined) checkFieldName(field, options.path);
  return { kind: 'random_score', ...present({ seed, field }) };
}

function readDecay(shape: 'gauss' | 'exp' | 'linear', outer: Options): DecayFunction {
  const multiValueMode = outer.choice('multi_value_mode', ['min', 'max', 'avg', 'sum']) ?? 'min';
  const entry = readFieldEntry(outer.source, outer.path, shape, { options: outer });
  const options = Options.from(entry.value, entry.path, shape);
  const given = options.raw('origin');
  const origin = given === undefined || isJsonScalar(given) ? given : parsePoint(given);
  if (given !== undefined && origin === undefined) {
    options.fail('origin', 'a number, a date or a point');
  }
  const result: DecayFunction = {
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
export const SCORE_KINDS: QueryKinds<'function_score' | 'distance_feature'> = {
  function_score: {
    ...STEADY,
    parse: bodyParser('function_score', (options, base, parser) => {
      const key = options.has('query') ? 'query' : 'filter';
      const inner = options.raw(key);
      const path = `${options.path}.${key}`;
      const query: Query =
        inner === undefined
          ? { kind: 'match_all', boost: 1, path: `${options.path}.query` }
          : parser.parse(inner, path);
      return {
        kind: 'function_score',
        query,
        functions: readFunctions(options, parser),
        scoreMode: options.choice('score_mode', SCORE_MODES) ?? 'multiply',
        boostMode: options.choice('boost_mode', BOOST_MODES) ?? 'multiply',
        maxBoost: options.number('max_boost', { min: 0 }) ?? Number.POSITIVE_INFINITY,
        ...present({ minScore: options.number('min_score') }),
        ...base,
      };
    }),
    bind: (query, binder) => ({
      ...query,
      query: binder.bind(query.query),
      functions: query.functions.map(({ filter, weight, function: score }) => ({
        ...(filter && { filter: binder.bind(filter) }),
        weight,
        function: bindFunction(score, binder),
      })),
    }),
    clauses: ({ query, functions }) => ({
      positive: [query],
      rescoring: functions.flatMap(({ filter }) => (filter === undefined ? [] : [filter])),
    }),
    lookups: ({ functions }) => 1 + functions.length * 3,
    // With `min_score`, the fields of its functions count too.
    fields: () => null,
    whyUndecidable: ({ minScore, path }) =>
      minScore === undefined
        ? null
        : `min_score at ${path} can't be decided on one document: scores depend on the other documents`,
  },
  distance_feature: {
    ...ONE_FIELD,
    parse: bodyParser('distance_feature', (options, base) => {
      const field = options.text('field') ?? options.fail('field', 'a field name');
      const given = options.raw('origin') ?? options.fail('origin', 'a date or a point');
      const origin = isJsonScalar(given) ? given : parsePoint(given);
      const pivot = options.scalar('pivot') ?? options.fail('pivot', 'a duration or a distance');
      options.end();
      if (origin === undefined) return options.fail('origin', 'a date or a point');
      return { kind: 'distance_feature', field: checkFieldName(field, options.path), origin, pivot, ...base };
    }),
    bind(query, binder) {
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
  },
};

function bindFunction(score: ScoreFunction, binder: QueryBinder): BoundScoreFunction {
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
