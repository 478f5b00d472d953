import type { JsonObject, JsonScalar } from '@millrace/language';
import {
  coerceDecay,
  type CompiledMapping,
  type DecayFunction,
  type FunctionScoreQuery,
  type Query,
  type ScoreFunctionEntry,
} from '@millrace/query';
import { ID_FIELD } from '../client/METADATA.js';
import { present } from './present.js';

type WriteQuery = (query: Query) => JsonObject;

/** The body of `function_score`, without boost and name. */
export function toFunctionScore(
  query: FunctionScoreQuery,
  compiled: CompiledMapping,
  write: WriteQuery,
): JsonObject {
  const { functions, scoreMode, boostMode, maxBoost, minScore } = query;
  return {
    query: write(query.query),
    functions: functions.map((entry) => toFunction(entry, compiled, write)),
    score_mode: scoreMode,
    boost_mode: boostMode,
    ...present({
      max_boost: Number.isFinite(maxBoost) ? maxBoost : undefined,
      min_score: minScore,
    }),
  };
}

function toFunction(
  { filter, weight, function: score }: ScoreFunctionEntry,
  compiled: CompiledMapping,
  write: WriteQuery,
): JsonObject {
  const base = filter === undefined ? { weight } : { filter: write(filter), weight };
  switch (score.kind) {
    case 'weight':
      return base;
    case 'field_value_factor': {
      const { field, factor, modifier, missing } = score;
      return { ...base, field_value_factor: { field, factor, modifier, ...present({ missing }) } };
    }
    case 'random_score': {
      const { seed, field } = score;
      // A seed requires a field whose value is constant for a document.
      if (seed === undefined) return { ...base, random_score: {} };
      return { ...base, random_score: { seed: toSeed(seed), field: field ?? ID_FIELD } };
    }
    case 'decay':
      return { ...base, [score.shape]: toDecay(score, compiled) };
  }
}

/** Elasticsearch accepts integers, and hashes strings. */
function toSeed(seed: JsonScalar): JsonScalar {
  return Number.isInteger(seed) ? seed : String(seed);
}

function toDecay(decay: DecayFunction, compiled: CompiledMapping): JsonObject {
  const { field: name, multiValueMode, origin } = decay;
  const field = compiled.fields.get(name);
  const read = field === undefined ? undefined : coerceDecay(field, decay, 0);
  const unit = field?.type === 'date' ? 'ms' : field?.type === 'geo_point' ? 'm' : '';
  // Elasticsearch accepts no fractions in date spans.
  const length = (value: number) =>
    unit === '' ? value : `${unit === 'ms' ? Math.max(0, Math.round(value)) : value}${unit}`;
  const place = toOrigin(origin);
  return {
    [name]: {
      // Elasticsearch parses a date origin with the field's format, which accepts only strings.
      ...present({ origin: unit === 'ms' && typeof place === 'number' ? String(place) : place }),
      scale: read === undefined ? decay.scale : length(read.scale),
      offset: read === undefined ? decay.offset : length(read.offset),
      decay: decay.decay,
    },
    multi_value_mode: multiValueMode,
  };
}

function toOrigin(origin: DecayFunction['origin']): JsonScalar | JsonObject | undefined {
  return typeof origin === 'object' ? { lat: origin.lat, lon: origin.lon } : origin;
}
