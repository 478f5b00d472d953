import { describe, expect, it } from 'vitest';
import { formatDouble } from './formatDouble.js';

describe('formatDouble', () => {
  it.each([
    [0.1, '0.10000000000000001'],
    [2.5, '2.5'],
    [1e21, '1e+21'],
    [1e16, '10000000000000000'],
    [1e17, '1e+17'],
    [0.0001, '0.0001'],
    [0.00001, '1.0000000000000001e-05'],
    [-0, '-0'],
    [-Infinity, '-inf'],
    [9007199254740993, '9007199254740992'],
  ])('shows %d as C shows it: %s', (value, text) => {
    expect(formatDouble(value)).toBe(text);
  });
});
