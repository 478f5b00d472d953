import { describe, expect, it } from 'vitest';
import { cellNumber, cellOf, MAX_STEP } from './GeoCell.js';
import { geohashText } from './geohashText.js';

describe('geohashes of scores', () => {
  it.each([
    [13.361389, 38.115556, 'sqc8b49rny0'],
    [15.087269, 37.502669, 'sqdtr74hyu0'],
    [-180, 0, '80000000000'],
    // As in Redis, the eastern edge is the western one.
    [180, 0, '80000000000'],
  ])('are those of Redis: %d, %d', (longitude, latitude, expected) => {
    expect(geohashText(cellNumber(cellOf({ longitude, latitude }, MAX_STEP)))).toBe(expected);
  });
});
