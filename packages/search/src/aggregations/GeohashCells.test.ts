import { decodeGeohash, encodeGeohash } from '@millrace/language';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GeohashCells } from './GeohashCells.js';

const lats = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.constantFrom(-90, 90, 0, -0, -1e-20, 45, -45, 5.625),
);
const lons = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, 180, 0, -0, -1e-20, 179.99999999999997, 11.25),
);

describe('GeohashCells', () => {
  it('puts every point into the cell that its geohash names, on borders and poles too', () => {
    fc.assert(
      fc.property(lats, lons, fc.integer({ min: 1, max: 12 }), (lat, lon, precision) => {
        const cells = new GeohashCells(precision, 100);
        const ordinal = cells.ordinalOf(lat, lon);
        expect(ordinal).toBeLessThan(cells.size);
        expect(cells.keyOf(ordinal)).toBe(encodeGeohash({ lat, lon }, precision));
      }),
    );
  });

  it('puts a point on the corner of a cell into that cell, not into a neighbour', () => {
    fc.assert(
      fc.property(lats, lons, fc.integer({ min: 1, max: 10 }), (lat, lon, precision) => {
        const key = encodeGeohash({ lat, lon }, precision);
        const { south = 0, west = 0 } = decodeGeohash(key) ?? {};
        const cells = new GeohashCells(precision, 100);
        expect(cells.keyOf(cells.ordinalOf(south, west))).toBe(key);
      }),
    );
  });

  it('compares cells as their geohashes compare', () => {
    fc.assert(
      fc.property(lats, lons, lats, lons, fc.integer({ min: 1, max: 12 }), (a, b, c, d, p) => {
        const cells = new GeohashCells(p, 100);
        const [one, other] = [cells.ordinalOf(a, b), cells.ordinalOf(c, d)];
        const [x, y] = [cells.keyOf(one), cells.keyOf(other)];
        expect(Math.sign(cells.compare(one, other))).toBe(x < y ? -1 : x > y ? 1 : 0);
      }),
    );
  });
});
