import { describe, expect, it } from 'vitest';
import { reduceByMode } from './sortModes.js';

describe('one sort value for several', () => {
  const large = [-9007199254740991, -4, 7, 10];

  it('adds whole numbers exactly beyond what a double holds in between', () => {
    expect(reduceByMode(large, 'avg', true)).toBe(-2251799813685244);
    expect(reduceByMode([9007199254740991, 2, -2], 'sum', true)).toBe(9007199254740991);
  });

  it('adds whole numbers in 64 bits, as a server', () => {
    expect(reduceByMode([0, 1, 3e38], 'sum', true)).toBe(-(2 ** 63));
    expect(reduceByMode([-(2 ** 63), -(2 ** 63)], 'sum', true)).toBe(0);
    expect(reduceByMode([2 ** 63, 2 ** 63], 'avg', true)).toBe(-1);
    expect(reduceByMode([2 ** 63, 2 ** 63], 'median', true)).toBe(2 ** 63);
  });

  it('rounds an average half-way up on whole numbers alone', () => {
    expect(reduceByMode([1, 2], 'avg', true)).toBe(2);
    expect(reduceByMode([1, 2], 'median', false)).toBe(1.5);
  });
});
