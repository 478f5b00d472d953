import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PointGrid } from './PointGrid.js';

const lat = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 0, 90));
const lon = fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 180));
const point = fc.option(fc.tuple(lat, lon), { nil: undefined });

describe('PointGrid', () => {
  it('misses no point of a box, wherever its spans lie, and names no slot without a point', () => {
    fc.assert(
      fc.property(
        fc.array(point, { maxLength: 60 }),
        fc.tuple(lat, lat),
        fc.array(fc.tuple(lon, lon), { minLength: 1, maxLength: 2 }),
        (points, [a, b], corners) => {
          const lats = Float64Array.from(points, (one) => one?.[0] ?? NaN);
          const lons = Float64Array.from(points, (one) => one?.[1] ?? NaN);
          const grid = new PointGrid(lats, lons, points.length);
          const [south, north] = [Math.min(a, b), Math.max(a, b)];
          const spans = corners.map(([x, y]) => [Math.min(x, y), Math.max(x, y)] as const);
          const inside = points.flatMap((one, slot) => {
            if (one === undefined || one[0] < south || one[0] > north) return [];
            return spans.some(([west, east]) => one[1] >= west && one[1] <= east) ? [slot] : [];
          });
          const found = grid.candidates({ south, north, spans });
          expect([...found]).toEqual(expect.arrayContaining(inside));
          expect([...found].every((slot) => points[slot] !== undefined)).toBe(true);
          expect(grid.count({ south, north, spans })).toBe(found.length);
        },
      ),
      { seed: 17, numRuns: 500 },
    );
  });
});
