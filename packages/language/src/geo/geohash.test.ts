import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeGeohash, encodeGeohash } from './geohash.js';

describe('geohashes', () => {
  it('are cells of known places', () => {
    expect(encodeGeohash({ lat: 57.64911, lon: 10.40744 }, 11)).toBe('u4pruydqqvj');
    expect(decodeGeohash('s')).toEqual({ south: 0, north: 45, west: 0, east: 45 });
    for (const text of ['', 'a', 'S', 'sssssssssssss', 's ']) expect(decodeGeohash(text)).toBeUndefined();
  });

  it('hold the place that they were made of, to the last bit of their cells', () => {
    const lat = fc.double({ min: -90, max: 89.999, noNaN: true });
    const lon = fc.double({ min: -180, max: 179.999, noNaN: true });
    fc.assert(
      fc.property(lat, lon, fc.integer({ min: 1, max: 12 }), (latitude, longitude, precision) => {
        const hash = encodeGeohash({ lat: latitude, lon: longitude }, precision);
        const { south, north, west, east } = decodeGeohash(hash) ?? { south: 1, north: 0, west: 1, east: 0 };
        expect(latitude >= south && latitude < north && longitude >= west && longitude < east).toBe(true);
        expect(encodeGeohash({ lat: south, lon: west }, precision)).toBe(hash);
      }),
      { numRuns: 2_000 },
    );
  });
});
