import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/language';
import { evaluateFilter } from '../evaluateFilter.js';
import type { Filter } from '../Filter.js';
import { parseFilter } from '../parse/parseFilter.js';
import { FilterEngine } from './FilterEngine.js';

const METRES_PER_DEGREE = 111_195;

/** Places with many areas: on land, around a pole, across the 180° meridian. */
const centre = fc.constantFrom({ lat: 48.8, lon: 2.3 }, { lat: 89.9, lon: 10 }, { lat: -1, lon: 179.99 });
const unit = fc.double({ min: 0, max: 1, noNaN: true });
const signed = fc.double({ min: -1, max: 1, noNaN: true });

/** Builds filters and documents around one place from a crowd's seeds. */
interface Crowd {
  readonly lat: number;
  readonly lon: number;
  readonly degrees: number;
}

function placeIn({ lat, lon, degrees }: Crowd, x: number, y: number) {
  const along = lon + y * degrees;
  return {
    lat: Math.max(-90, Math.min(90, lat + x * degrees)),
    lon: along > 180 ? along - 360 : along < -180 ? along + 360 : along,
  };
}

function areaIn(crowd: Crowd, [x, y, size, kind]: readonly [number, number, number, number]) {
  const p = placeIn(crowd, x, y);
  const metres = Math.max(1, Math.round(size * crowd.degrees * METRES_PER_DEGREE));
  if (kind < 0.8) return { geoDistance: { p, distance: `${metres} m` } };
  if (kind < 0.9) return { geoDistanceRange: { p, from: `${metres} m`, to: `${2 * metres} m` } };
  const half = Math.abs(size * crowd.degrees);
  const left = Math.max(-180, p.lon - half);
  return {
    geoBoundingBox: { p: { top: p.lat, bottom: Math.max(-90, p.lat - half), left, right: p.lon } },
  };
}

/** A point on the rim of a circle, to the north of its centre, and points just inside and outside. */
function onRim(filter: unknown, share: number): JsonObject | undefined {
  const { geoDistance } = filter as {
    geoDistance?: { p: { lat: number; lon: number }; distance: string };
  };
  if (geoDistance === undefined) return undefined;
  const { lat, lon } = geoDistance.p;
  const degrees = parseInt(geoDistance.distance, 10) / 111_195.0802335329;
  const rim = lat + degrees * (1 + share * 1e-6);
  return rim > 90 ? undefined : { p: { lat: rim, lon } };
}

class Held {
  readonly engine = new FilterEngine();
  private readonly filters = new Map<string, Filter>();

  add(filter: unknown): void {
    this.filters.set(this.engine.register('i', 'c', filter).id, parseFilter(filter));
  }

  /** Removes every third, or all but every third. */
  thin(isMost: boolean): void {
    for (const [at, room] of [...this.filters.keys()].entries()) {
      if ((at % 3 === 0) === isMost) continue;
      expect(this.engine.remove(room)).toBe(true);
      this.filters.delete(room);
    }
  }

  check(documents: readonly JsonObject[]): void {
    for (const each of documents) {
      const expected = [...this.filters].flatMap(([room, filter]) => (evaluateFilter(filter, each) ? [room] : []));
      expect(this.engine.test('i', 'c', each).sort()).toEqual(expected.sort());
    }
  }
}

describe('crowds of filters, against the plain evaluator', () => {
  it('finds areas that overlap in thousands, at their rims too, while they come and go', () => {
    const seeds = fc.array(fc.tuple(signed, signed, unit, unit), {
      minLength: 700,
      maxLength: 900,
    });
    fc.assert(
      fc.property(
        centre,
        fc.constantFrom(0.001, 0.05, 0.5, 8),
        seeds,
        fc.array(fc.tuple(signed, signed), { minLength: 3, maxLength: 3 }),
        (middle, degrees, areas, points) => {
          const crowd = { ...middle, degrees };
          const filters = areas.map((each) => areaIn(crowd, each));
          const documents: JsonObject[] = points.map(([x, y]) => ({ p: placeIn(crowd, x, y) }));
          for (const [i, filter] of filters.slice(0, 6).entries()) {
            documents.push(onRim(filter, [0, 1, -1][i % 3] ?? 0) ?? { p: middle });
          }
          const held = new Held();
          for (const filter of filters) held.add(filter);
          held.check(documents);
          for (const isMost of [false, true, true]) {
            held.thin(isMost);
            held.check(documents);
            for (const filter of filters.slice(0, 200)) held.add(filter);
            held.check(documents);
          }
        },
      ),
      { numRuns: 4 },
    );
  });

  it('finds patterns, and negations, by the hundred', () => {
    const word = fc.integer({ min: 0, max: 40 }).map((i) => `w${(i * 7919).toString(36)}${i % 4 === 0 ? 'K' : 'z'}`);
    const pattern = fc
      .tuple(word, word, fc.integer({ min: 0, max: 6 }), fc.constantFrom('', 'i', 'iu'))
      .map(([a, b, form, flags]) => {
        const forms = [`${a}[a-z]? ${b}`, `${a}.*${b}`, `(?:${a}|${b})`, `^${a}`, `(${a} ){1,2}`, a, a.slice(0, 2)];
        return { regexp: { t: { value: forms[form] ?? a, flags } } };
      });
    const group = fc.constantFrom('u', 'v', 'w').map((g) => ({ equals: { g } }));
    const range = signed.map((gte) => ({ range: { a: { gte, lt: gte + 0.3 } } }));
    const either = fc
      .tuple(group, range, group, pattern)
      .map(([g, r, h, p]) => ({ or: [{ and: [g, r] }, { and: [h, p] }] }));
    const positive = fc.oneof(pattern, group, range, either);
    const filter = fc.oneof(
      positive,
      positive.map((not) => ({ not })),
    );
    const document = fc.record(
      {
        t: fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
        a: signed,
        g: fc.constantFrom('u', 'v', 'x'),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(filter, { minLength: 150, maxLength: 250 }),
        fc.array(document, { minLength: 6, maxLength: 6 }),
        (filters, documents) => {
          const held = new Held();
          for (const each of filters) held.add(each);
          held.check(documents);
          for (const isMost of [false, true]) {
            held.thin(isMost);
            held.check(documents);
          }
        },
      ),
      { numRuns: 6 },
    );
  });
});
