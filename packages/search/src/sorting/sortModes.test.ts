import { describe, expect, it } from 'vitest';
import { reduceByMode } from './sortModes.js';

describe('one sort value for several', () => {
  it.each([
    ['min', 1],
    ['max', 9],
    ['sum', 15],
    ['avg', 3.75],
    ['median', 2.5],
  ] as const)('takes the %s', (mode, expected) => {
    expect(reduceByMode([1, 2, 3, 9], mode, false)).toBe(expected);
  });

  it('rounds an average half-way up on whole numbers alone', () => {
    expect(reduceByMode([1, 2], 'avg', true)).toBe(2);
    expect(reduceByMode([1, 2], 'median', false)).toBe(1.5);
  });
});
