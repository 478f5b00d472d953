import type { JsonObject, JsonValue } from '@millrace/language';
import { describe, expect, it } from 'vitest';
import { DEFAULT_FILTER_LIMITS } from '../FilterLimits.js';
import { ValueFilters } from './ValueFilters.js';

type Values = Readonly<Record<string, readonly JsonValue[]>>;

const FIELDS = ['a', 'b', 'c'];

/** A generator of the same numbers for the same seed. */
function chance(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % limit;
  };
}

function randomFilter(below: (limit: number) => number, depth = 3): JsonObject {
  const field = FIELDS[below(FIELDS.length)] as string;
  const low = below(10);
  switch (below(depth === 0 ? 5 : 8)) {
    case 0:
      return { equals: { [field]: below(10) } };
    case 1:
      return { in: { [field]: [below(10), below(10)] } };
    case 2:
      return { range: { [field]: { gte: low, lte: low + 1 + below(3) } } };
    case 3:
      return below(2) === 0 ? { range: { [field]: { gt: low } } } : { exists: { field } };
    case 4: {
      const [bottom, left] = [below(8), below(8)];
      return { geoBoundingBox: { [field]: { bottom, left, top: bottom + 3, right: left + 3 } } };
    }
    case 5:
      return { not: randomFilter(below, depth - 1) };
    default: {
      const parts = Array.from({ length: 2 + below(2) }, () => randomFilter(below, depth - 1));
      return { [below(3) === 0 ? 'or' : 'and']: parts };
    }
  }
}

function randomValues(below: (limit: number) => number): Values {
  const value = () => {
    const kind = below(12);
    if (kind === 0) return {};
    return kind < 4 ? { lat: below(11), lon: below(11) } : below(10);
  };
  return Object.fromEntries(FIELDS.map((field) => [field, Array.from({ length: below(4) }, value)]));
}

/** The definition: each condition on a field holds if one of its values fulfils it. */
function holds(filter: JsonObject, values: Values): boolean {
  const [[kind, argument]] = Object.entries(filter) as [[string, JsonValue]];
  const parts = argument as unknown as readonly JsonObject[];
  if (kind === 'not') return !holds(argument as JsonObject, values);
  if (kind === 'and') return parts.every((part) => holds(part, values));
  if (kind === 'or') return parts.some((part) => holds(part, values));
  if (kind === 'exists') return (values[(argument as { field: string }).field] ?? []).length > 0;
  const [[field, operand]] = Object.entries(argument as JsonObject) as [[string, JsonValue]];
  return (values[field] ?? []).some((value) => fulfils(kind, operand, value));
}

function fulfils(kind: string, operand: JsonValue, value: JsonValue): boolean {
  if (kind === 'equals') return value === operand;
  if (kind === 'in') return (operand as readonly JsonValue[]).includes(value);
  if (kind === 'range') {
    const { gte = -Infinity, gt = -Infinity, lte = Infinity } = operand as Record<string, number>;
    return typeof value === 'number' && value >= gte && value > gt && value <= lte;
  }
  const { lat, lon } = value as { lat?: number; lon?: number };
  const { bottom, left, top, right } = operand as Record<string, number>;
  if (lat === undefined || lon === undefined) return false;
  return lat >= bottom! && lat <= top! && lon >= left! && lon <= right!;
}

function find(filters: ValueFilters, values: Values): number[] {
  filters.begin();
  for (const [field, list] of Object.entries(values)) {
    for (const value of list) filters.put(field, value);
  }
  const { found, count } = filters.find();
  return [...found.subarray(0, count)].sort((a, b) => a - b);
}

describe('ValueFilters', () => {
  it('finds the filters whose conditions each hold for one of the values, while filters come and go', () => {
    const below = chance(7);
    const filters = new ValueFilters(DEFAULT_FILTER_LIMITS);
    const kept = new Map<number, JsonObject>();
    let foundCount = 0;
    for (let step = 0; step < 4_000; step++) {
      const filter = randomFilter(below);
      kept.set(filters.add(filter).number, filter);
      if (kept.size > 300) {
        const number = [...kept.keys()][below(kept.size)] as number;
        filters.remove(number);
        kept.delete(number);
      }
      const values = randomValues(below);
      const expected = [...kept].filter(([, each]) => holds(each, values)).map(([each]) => each);
      const found = find(filters, values);
      expect(found, JSON.stringify(values)).toEqual(expected.sort((a, b) => a - b));
      foundCount += found.length;
    }
    expect(foundCount).toBeGreaterThan(100_000);
  });

  it('finds each filter of a field with many values once', () => {
    const filters = new ValueFilters(DEFAULT_FILTER_LIMITS);
    const { number } = filters.add({
      and: [{ equals: { a: 'w3' } }, { in: { a: ['w900', 'x'] } }],
    });
    filters.add({ and: [{ equals: { a: 'w3' } }, { equals: { a: 'w1000' } }] });
    const words = Array.from({ length: 1_000 }, (_, n) => `w${n}`);
    expect(find(filters, { a: [...words, ...words] })).toEqual([number]);
  });
});
