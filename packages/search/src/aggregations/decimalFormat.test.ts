import { describe, expect, it } from 'vitest';
import { decimalFormat } from './valueSource.js';

describe('decimalFormat', () => {
  it.each([
    ['0.00', 0.5, '0.50'],
    ['0.#', 5, '5'],
    ['000', 7, '007'],
    ['#,##0.0', 1234567.89, '1,234,567.9'],
    ['0.0%', 0.1234, '12.3%'],
    ['$0.00 each', -2.5, '-$2.50 each'],
    ['0.0', Infinity, 'Infinity'],
  ])('writes by %s the number %d as %s', (pattern, value, expected) => {
    expect(decimalFormat(pattern)?.(value)).toBe(expected);
  });

  it('refuses a pattern with two numbers', () => {
    expect(decimalFormat('0.0 of 10')).toBeUndefined();
  });
});
