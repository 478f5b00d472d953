import { describe, expect, it } from 'vitest';
import { boxOf, cellNumber, cellOf, cellOfScore, MAX_STEP, pointOfScore } from './GeoCell.js';
import { distanceM } from './distance.js';
import { searchCells } from './searchCells.js';

describe('cells of places', () => {
  it('give points back within half a metre', () => {
    for (let longitude = -179; longitude < 180; longitude += 7.3) {
      for (let latitude = -85; latitude < 85; latitude += 5.1) {
        const cell = cellOf({ longitude, latitude }, MAX_STEP);
        const score = cellNumber(cell);
        expect(cellOfScore(score)).toEqual(cell);
        expect(distanceM({ longitude, latitude }, pointOfScore(score))).toBeLessThan(0.5);
      }
    }
  });

  it.each([
    [180, 85.05112878],
    [180, -85.05112878],
    [-180, 85.05112878],
    [0, 85.05112878],
  ])('of the edge of the map are found around it: %d, %d', (longitude, latitude) => {
    const center = { longitude, latitude };
    const score = cellNumber(cellOf(center, MAX_STEP));
    for (const radiusM of [0.5, 100, 100_000]) {
      const cells = searchCells({
        center,
        halfWidthM: radiusM,
        halfHeightM: radiusM,
        isCircle: true,
      });
      const isFound = cells.some((cell) => Math.floor(score / 4 ** (MAX_STEP - cell.step)) === cellNumber(cell));
      expect([radiusM, isFound]).toEqual([radiusM, true]);
    }
  });

  it('cover a circle wherever it lies', () => {
    for (const radiusM of [100, 5_000, 400_000]) {
      for (const latitude of [-70, -10, 0, 45, 79]) {
        const center = { longitude: 12.3, latitude };
        const boxes = searchCells({
          center,
          halfWidthM: radiusM,
          halfHeightM: radiusM,
          isCircle: true,
        }).map(boxOf);
        const degrees = (0.99 * radiusM * 180) / (Math.PI * 6_372_797.56);
        const across = degrees / Math.cos((latitude * Math.PI) / 180);
        for (const [east, north] of [
          [0, 1],
          [0, -1],
          [1, 0],
          [-1, 0],
          [0.7, 0.7],
        ] as const) {
          const point = { longitude: 12.3 + east * across, latitude: latitude + north * degrees };
          const isCovered = boxes.some(
            (box) =>
              point.longitude >= box.west &&
              point.longitude < box.east &&
              point.latitude >= box.south &&
              point.latitude < box.north,
          );
          expect(isCovered, JSON.stringify({ radiusM, latitude, east, north })).toBe(true);
        }
      }
    }
  });
});
