import { arcDistance } from '@millrace/language';
import type {
  BoundDecay,
  BoundScoreFunction,
  CompiledField,
  DecayFunction,
  FieldValueModifier,
  ScoreFunction,
} from '@millrace/query';
import type { FieldIndex } from '../fields/FieldIndex.js';
import { hashText } from '../hashText.js';
import { Refusal } from '../Refusal.js';
import { indexOf, visibleIndex, type SearchScope } from '../SearchScope.js';
import { isRestricted } from '../index/restrictIndex.js';
import type { Compilers } from './Compilers.js';
import { FunctionScoreNode } from './FunctionScoreNode.js';
import { existsNode, NO_DOCUMENT } from './setNode.js';

/** The value of a score function for one document. */
export type SlotFunction = (slot: number) => number;

/** The queries that compute scores from values. */
export const SCORE_COMPILERS: Compilers<'function_score' | 'distance_feature'> = {
  function_score: (query, scope, compile) =>
    new FunctionScoreNode(
      scope.index,
      compile(query.query, scope),
      query.functions.map((entry) => ({
        filter: entry.filter && compile(entry.filter, scope),
        weight: entry.weight,
        valueOf: compileScoreFunction(entry.function, scope),
      })),
      query,
      scope.deadline,
    ),
  distance_feature(query, scope) {
    const { boost, coerced, mapped, path } = query;
    const index = indexOf(scope, mapped);
    if (index === undefined) return NO_DOCUMENT;
    const distances = distancesFrom(coerced.origin, index, mapped);
    const pivot = coerced.scale;
    const valueOf = (slot: number) => pivot / (pivot + Math.min(...distances(slot)));
    return new FunctionScoreNode(
      scope.index,
      existsNode(scope, [index], 1),
      [{ filter: undefined, weight: 1, valueOf }],
      { scoreMode: 'multiply', boostMode: 'multiply', maxBoost: Infinity, boost, path },
      scope.deadline,
    );
  },
};

/** Compiles a score function for the index of a scope. @throws Refusal */
function compileScoreFunction(score: BoundScoreFunction, scope: SearchScope): SlotFunction {
  switch (score.kind) {
    case 'weight':
      return () => 1;
    case 'field_value_factor':
      return fieldValueFactor(score, scope);
    case 'decay':
      return decay(score, scope);
    case 'random_score':
      return randomScore(score, scope);
  }
}

function fieldValueFactor(
  score: Extract<ScoreFunction, { kind: 'field_value_factor' }>,
  scope: SearchScope,
): SlotFunction {
  const { factor, modifier, missing, path } = score;
  const index = visibleIndex(scope, score.field);
  const column = index?.kind === 'number' ? index.column : undefined;
  return (slot) => {
    const stored = column?.first(slot) ?? NaN;
    const value = Number.isNaN(stored) ? missing : stored;
    if (value === undefined) {
      throw new Refusal(
        `A document has no value in the field "${score.field}" of field_value_factor (at ${path}): give "missing"`,
      );
    }
    const result = modify(modifier, factor * value);
    if (result >= 0) return result;
    throw new Refusal(
      `field_value_factor gives ${result} for the value ${value} of "${score.field}" (at ${path}): scores must be at least 0`,
    );
  };
}

function modify(modifier: FieldValueModifier, value: number): number {
  switch (modifier) {
    case 'none':
      return value;
    case 'log':
      return Math.log10(value);
    case 'log1p':
      return Math.log10(value + 1);
    case 'log2p':
      return Math.log10(value + 2);
    case 'ln':
      return Math.log(value);
    case 'ln1p':
      return Math.log1p(value);
    case 'ln2p':
      return Math.log(value + 2);
    case 'square':
      return value * value;
    case 'sqrt':
      return Math.sqrt(value);
    case 'reciprocal':
      return 1 / value;
  }
}

function decay(score: BoundDecay, scope: SearchScope): SlotFunction {
  const { origin, scale, offset } = score.coerced;
  const curve = curveOf(score.shape, scale, score.decay);
  const distances = distancesFrom(origin, indexOf(scope, score.mapped), score.mapped);
  const { multiValueMode: mode } = score;
  return (slot) => {
    const all = distances(slot).map((distance) => Math.max(0, distance - offset));
    // A document without a value counts as one at the origin.
    if (all.length === 0) return 1;
    const sum = all.reduce((total, distance) => total + distance, 0);
    switch (mode) {
      case 'min':
        return curve(Math.min(...all));
      case 'max':
        return curve(Math.max(...all));
      case 'sum':
        return curve(sum);
      case 'avg':
        return curve(sum / all.length);
    }
  };
}

/** Decreases from 1 at distance 0 to `atScale` at distance `scale`. */
function curveOf(shape: DecayFunction['shape'], scale: number, atScale: number): (distance: number) => number {
  const rate = Math.log(atScale) / scale;
  switch (shape) {
    case 'gauss':
      return (distance) => Math.exp((rate / scale) * distance * distance);
    case 'exp':
      return (distance) => Math.exp(rate * distance);
    case 'linear': {
      const end = scale / (1 - atScale);
      return (distance) => Math.max(0, (end - distance) / end);
    }
  }
}

function distancesFrom(
  origin: BoundDecay['coerced']['origin'],
  index: FieldIndex | undefined,
  field: CompiledField,
): (slot: number) => readonly number[] {
  if (index?.kind === 'number' && typeof origin === 'number') {
    const { column } = index;
    return (slot) => {
      const first = column.first(slot);
      if (Number.isNaN(first)) return [];
      const several = column.more.get(slot);
      if (several === undefined) return [Math.abs(first - origin)];
      return Array.from(several, (value) => Math.abs(value - origin));
    };
  }
  if (index?.kind === 'point' && typeof origin === 'object') {
    return (slot) => index.column.pointsOf(slot, (lat, lon) => arcDistance(origin.lat, origin.lon, lat, lon));
  }
  if (index === undefined) return () => [];
  throw new Refusal(`A decay function can't be put to "${field.name}" of type ${field.type}`);
}

/**
 * Not random: a hash of the seed and the document's row or field, so the same request returns the same order. In a view it
 * is the id, since rows would tell how many documents there are outside the view.
 */
function randomScore(
  { seed, field }: Extract<ScoreFunction, { kind: 'random_score' }>,
  scope: SearchScope,
): SlotFunction {
  const salt = String(seed ?? scope.nowMs);
  const textOf = field === undefined || field === '_id' ? rowText(scope) : fieldText(field, scope);
  return (slot) => hashText(`${salt} ${textOf(slot)}`) / 2 ** 32;
}

function rowText(scope: SearchScope): (slot: number) => string {
  const { index } = scope;
  if (!isRestricted(index)) return (slot) => String(index.rowOf(slot));
  const ids = scope.loadIds();
  return (slot) => ids[slot] ?? '';
}

function fieldText(name: string, scope: SearchScope): (slot: number) => string {
  const index = visibleIndex(scope, name);
  if (index?.kind === 'number') return (slot) => String(index.column.first(slot));
  if (index?.kind !== 'term') return () => '';
  const { column } = index;
  return (slot) => {
    const code = column.codeAt(slot);
    const codes = code >= 0 ? [code] : [...(column.more.get(slot) ?? [])];
    return codes.map((one) => column.dictionary.term(one)).join();
  };
}
