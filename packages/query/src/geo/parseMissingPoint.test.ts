import { describe, expect, it } from 'vitest';
import { parseMissingPoint } from './parseMissingPoint.js';

describe('parseMissingPoint', () => {
  it.each([
    ['20,10', { lat: 20, lon: 10 }],
    ['point(10 20)', { lat: 20, lon: 10 }],
    ['s', { lat: 0, lon: 0 }],
    [5, { lat: -90, lon: -45 }],
  ])('reads %j', (missing, point) => {
    expect(parseMissingPoint(missing)).toEqual(point);
  });

  it.each(['', 'x,y', '200,10', '0,0,5', 'POINT (1 2 3)', 1.5, false])('refuses %j', (missing) => {
    expect(parseMissingPoint(missing)).toBeUndefined();
  });
});
