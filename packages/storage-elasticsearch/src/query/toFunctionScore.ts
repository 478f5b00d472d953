import type { JsonObject, JsonScalar } from '@millrace/language';
import type { BoundDecay, BoundFunctionScore, BoundQuery, DecayFunction } from '@millrace/query';
import { ID_FIELD } from '../client/METADATA.js';
import { present } from './present.js';

type WriteQuery = (query: BoundQuery) => JsonObject;

/** The body of `function_score`, without boost and name. */
export function toFunctionScore(query: BoundFunctionScore, write: WriteQuery): JsonObject {
  const { functions, scoreMode, boostMode, maxBoost, minScore } = query;
  return {
    query: write(query.query),
    functions: functions.map((entry) => toFunction(entry, write)),
    score_mode: scoreMode,
    boost_mode: boostMode,
    ...present({
      max_boost: Number.isFinite(maxBoost) ? maxBoost : undefined,
      min_score: minScore,
    }),
  };
}

function toFunction(
  { filter, weight, function: score }: BoundFunctionScore['functions'][number],
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
      return { ...base, [score.shape]: toDecay(score) };
  }
}

/** Elasticsearch accepts integers, and hashes strings. */
function toSeed(seed: JsonScalar): JsonScalar {
  return Number.isInteger(seed) ? seed : String(seed);
}

function toDecay(decay: BoundDecay): JsonObject {
  const { field: name, mapped, coerced, multiValueMode, origin } = decay;
  const unit = mapped.type === 'date' ? 'ms' : mapped.type === 'geo_point' ? 'm' : '';
  // Elasticsearch accepts no fractions in date spans.
  const length = (value: number) =>
    unit === '' ? value : `${unit === 'ms' ? Math.max(0, Math.round(value)) : value}${unit}`;
  const place = toOrigin(origin);
  return {
    [name]: {
      // Elasticsearch parses a date origin with the field's format, which accepts only strings.
      ...present({ origin: unit === 'ms' && typeof place === 'number' ? String(place) : place }),
      scale: length(coerced.scale),
      offset: length(coerced.offset),
      decay: decay.decay,
    },
    multi_value_mode: multiValueMode,
  };
}

function toOrigin(origin: DecayFunction['origin']): JsonScalar | JsonObject | undefined {
  return typeof origin === 'object' ? { lat: origin.lat, lon: origin.lon } : origin;
}
