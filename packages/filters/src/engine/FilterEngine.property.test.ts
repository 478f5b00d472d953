import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/language';
import { evaluateFilter } from '../evaluateFilter.js';
import { FilterError } from '../FilterError.js';
import { parseFilter } from '../parse/parseFilter.js';
import { FilterEngine } from './FilterEngine.js';

const FIELDS = ['a', 'b', 'a.b', 'c.d.e', '_id', '__proto__', 'toString', 'p', 'q'];
const TEXTS = ['', 'x', 'foo', 'a foobar', 'FOOL', '1', 'true', 'ſoo', '1, 2', 'spf8prntv18e'];
const NUMBERS = [-1e308, -2, -0, 0, 1, 1.5, 2, 3, 5, 1e3, 1e308, Number.MIN_VALUE, 2 ** 53];
const PATTERNS = ['foo', '^a', 'o+$', 'foo|bar', '(?:fo){1,2}ol', 'x?', '[a-f]oo', '^$', 'bar.*baz'];

const field = fc.constantFrom(...FIELDS);
const number = fc.oneof(fc.constantFrom(...NUMBERS), fc.integer({ min: -6, max: 6 }));
const scalar = fc.oneof(fc.constantFrom(...TEXTS), number, fc.boolean());
const lat = fc.oneof(fc.constantFrom(-90, 90, 0, 43), fc.double({ min: -90, max: 90, noNaN: true }));
const lon = fc.oneof(fc.constantFrom(-180, 180, 0, 4, 179.99), fc.double({ min: -180, max: 180, noNaN: true }));
const point = fc.record({ lat, lon });
const metres = fc.constantFrom('0m', '1m', '500', '3km', '200km', '5000km', '10010km', '20015km', '25000km');

/** `{<field>: value, …}`; `fromEntries` and the spread treat `__proto__` as an ordinary key, as `JSON.parse` does. */
const keyed = (value: fc.Arbitrary<unknown>, more: fc.Arbitrary<object> = fc.constant({})) =>
  fc
    .tuple(field, value, more)
    .map(([name, given, rest]): object => ({ ...rest, ...Object.fromEntries([[name, given]]) }));

const bounds = fc
  .tuple(number, number, fc.constantFrom('gt', 'gte'), fc.constantFrom('lt', 'lte'), fc.integer({ min: 0, max: 3 }))
  .map(([x, y, lower, upper, kind]) => {
    const [low, high] = x < y ? [x, y] : x > y ? [y, x] : [x, x + 1 === x ? Infinity : x + 1];
    if (kind === 0) return { [lower]: low };
    if (kind === 1) return { [upper]: high };
    return { [lower]: low, [upper]: high };
  });

const leaf = fc.oneof(
  { weight: 4, arbitrary: keyed(scalar).map((argument) => ({ equals: argument })) },
  {
    weight: 3,
    arbitrary: keyed(fc.array(scalar, { minLength: 1, maxLength: 5 })).map((argument) => ({
      in: argument,
    })),
  },
  { weight: 4, arbitrary: keyed(bounds).map((argument) => ({ range: argument })) },
  { weight: 1, arbitrary: field.map((name) => ({ exists: name })) },
  { weight: 1, arbitrary: field.map((name) => ({ missing: name })) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom('d1', 'd2', 'x'), { minLength: 1, maxLength: 3 })
      .map((values) => ({ ids: { values } })),
  },
  {
    weight: 3,
    arbitrary: keyed(
      fc.record({
        value: fc.constantFrom(...PATTERNS),
        flags: fc.constantFrom('', 'i', 'iu', 's'),
      }),
    ).map((argument) => ({ regexp: argument })),
  },
  {
    weight: 2,
    arbitrary: keyed(
      fc.record({ x: lat, y: lat, left: lon, right: lon }).map(({ x, y, left, right }) => ({
        top: Math.max(x, y),
        bottom: Math.min(x, y),
        left,
        right,
      })),
    ).map((argument) => ({ geoBoundingBox: argument })),
  },
  {
    weight: 3,
    arbitrary: keyed(point, fc.record({ distance: metres })).map((argument) => ({
      geoDistance: argument,
    })),
  },
  {
    weight: 1,
    arbitrary: keyed(point, fc.constantFrom({ from: '1m', to: '3km' }, { from: '100km', to: '9000km' })).map(
      (argument) => ({ geoDistanceRange: argument }),
    ),
  },
  {
    weight: 1,
    arbitrary: keyed(
      fc.record({
        points: fc.uniqueArray(point, { minLength: 4, maxLength: 6, selector: (p) => `${p.lat + 0},${p.lon + 0}` }),
      }),
    ).map((argument) => ({ geoPolygon: argument })),
  },
  { weight: 1, arbitrary: fc.constantFrom({ nothing: {} }, { match_all: {} }) },
);

const list = (inner: fc.Arbitrary<unknown>) => fc.array(inner, { minLength: 1, maxLength: 3 });
const filter = fc.letrec((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: leaf },
    { weight: 2, arbitrary: fc.record({ and: list(tie('filter')) }) },
    { weight: 2, arbitrary: fc.record({ or: list(tie('filter')) }) },
    { weight: 2, arbitrary: fc.record({ not: tie('filter') }) },
    {
      weight: 1,
      arbitrary: fc
        .record(
          {
            must: list(tie('filter')),
            should: list(tie('filter')),
            must_not: list(tie('filter')),
            should_not: list(tie('filter')),
          },
          { requiredKeys: [] },
        )
        .filter((bool) => Object.keys(bool).length > 0)
        .map((bool) => ({ bool })),
    },
  ),
})).filter;

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 6, arbitrary: scalar },
    { weight: 3, arbitrary: point },
    { weight: 1, arbitrary: fc.record({ latLon: fc.tuple(lat, lon) }) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    {
      weight: 3,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom('b', 'd', 'e', 'd.e', '', 'toString'), tie('value')), {
          maxLength: 3,
        })
        .map((entries) => Object.fromEntries(entries)),
    },
  ),
})).value;
const document = fc
  .array(fc.tuple(fc.constantFrom(...FIELDS, 'c', 'c.d', 'z'), value), { maxLength: 9 })
  // `JSON.parse` treats `__proto__` as an ordinary key, and so does `fromEntries`.
  .map((entries) => Object.fromEntries(entries) as JsonObject);

/** Filters on more fields than the engine probes one by one. */
const FILLERS = Array.from({ length: 20 }, (_, i) => ({ equals: { [`filler${i}.x`]: i } }));

/** Registers a filter, unless it exceeds the limits. */
function hold(engine: FilterEngine, held: Map<string, unknown>, filter: unknown): void {
  try {
    held.set(engine.register('i', 'c', filter).id, filter);
  } catch (error) {
    if (!(error instanceof FilterError) || error.code !== 'filter_too_complex') throw error;
  }
}

function expected(filters: ReadonlyMap<string, unknown>, given: JsonObject, id?: string): string[] {
  const matching: string[] = [];
  for (const [room, each] of filters) {
    if (evaluateFilter(parseFilter(each), given, id)) matching.push(room);
  }
  return matching.sort();
}

describe('the filter engine, against the plain evaluator', () => {
  it.each([0, 1])('finds the same filters, whatever they are (%i)', (isWide) => {
    fc.assert(
      fc.property(
        fc.array(filter, { minLength: 1, maxLength: 40 }),
        fc.array(document, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(undefined, 'd1', 'x'),
        fc.array(fc.nat(), { maxLength: 15 }),
        (filters, documents, id, removals) => {
          const engine = new FilterEngine();
          const held = new Map<string, unknown>();
          for (const each of isWide ? [...FILLERS, ...filters] : filters) hold(engine, held, each);
          const check = () => {
            for (const each of documents) {
              const answer = engine.test('i', 'c', each, id);
              expect(answer.sort()).toEqual(expected(held, each, id));
            }
          };
          check();
          for (const removal of removals) {
            const room = [...held.keys()][removal % Math.max(1, held.size)];
            if (room === undefined) continue;
            expect(engine.remove(room)).toBe(true);
            held.delete(room);
          }
          check();
          for (const room of [...held.keys()]) engine.remove(room);
          held.clear();
          check();
          expect(engine.measure()).toMatchObject({ filterCount: 0, collectionCount: 0 });
        },
      ),
      { numRuns: 150 },
    );
  });

  it('finds ranges and circles by the thousand as the plain evaluator does', () => {
    const near = fc.record({
      lat: fc.double({ min: 48, max: 48.2, noNaN: true }),
      lon: fc.double({ min: 2, max: 2.3, noNaN: true }),
    });
    const circle = fc
      .tuple(near, fc.integer({ min: 1, max: 20_000 }))
      .map(([p, m]) => ({ geoDistance: { p, distance: `${m} m` } }));
    const range = fc
      .tuple(fc.double({ min: -100, max: 100, noNaN: true }), fc.double({ min: 1e-9, max: 90, noNaN: true }))
      .map(([low, length]) => ({ range: { a: { gte: low, lt: low + length + 1e-6 } } }));
    const half = fc.double({ min: -100, max: 100, noNaN: true }).map((gt) => ({ range: { a: { gt } } }));
    const guarded = fc.tuple(fc.constantFrom('u', 'v'), range).map(([b, each]) => ({ and: [{ equals: { b } }, each] }));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(circle, range, half, guarded), { minLength: 1_000, maxLength: 1_500 }),
        fc.array(
          fc.record({
            p: near,
            a: fc.double({ min: -101, max: 101, noNaN: true }),
            b: fc.constantFrom('u', 'v'),
          }),
          { minLength: 5, maxLength: 5 },
        ),
        (filters, documents) => {
          const engine = new FilterEngine();
          const held = new Map<string, unknown>();
          for (const each of filters) held.set(engine.register('i', 'c', each).id, each);
          for (const half of [false, true]) {
            for (const each of documents) {
              expect(engine.test('i', 'c', each).sort()).toEqual(expected(held, each));
            }
            if (half) break;
            for (const room of [...held.keys()].filter((_, i) => i % 3 > 0)) {
              engine.remove(room);
              held.delete(room);
            }
          }
        },
      ),
      { numRuns: 5 },
    );
  });
});
