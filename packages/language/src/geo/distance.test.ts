import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arcDistance, circleBounds, planeDistance } from './Point.js';

describe('distances', () => {
  it('are those of a sphere of 6,371,008.7714 m', () => {
    expect(arcDistance(48.8566, 2.3522, 51.5074, -0.1278)).toBeCloseTo(343_556.5, -1);
    expect(arcDistance(0, 0, 0, 180)).toBeCloseTo(Math.PI * 6_371_008.7714, 3);
    expect(planeDistance(0, 0, 1, 0)).toBeCloseTo(arcDistance(0, 0, 1, 0), 3);
  });

  it('of points outside of the bounds of a circle are longer than its radius', () => {
    const lat = fc.double({ min: -90, max: 90, noNaN: true });
    const lon = fc.double({ min: -180, max: 180, noNaN: true });
    fc.assert(
      fc.property(
        lat,
        lon,
        lat,
        lon,
        fc.double({ min: 0, max: 2e7, noNaN: true }),
        (aLat, aLon, bLat, bLon, metres) => {
          const { south, north, halfWidth } = circleBounds(aLat, metres);
          const apart = Math.abs(aLon - bLon);
          const isOutside = bLat < south || bLat > north || Math.min(apart, 360 - apart) > halfWidth;
          if (isOutside) expect(arcDistance(aLat, aLon, bLat, bLon)).toBeGreaterThan(metres - 1e-6);
        },
      ),
      { seed: 41, numRuns: 5_000 },
    );
  });
});
