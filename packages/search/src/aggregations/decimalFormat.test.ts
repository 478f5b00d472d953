import { describe, expect, it } from 'vitest';
import { decimalFormat } from './decimalFormat.js';

describe('numbers by a pattern of DecimalFormat', () => {
  it.each([
    ['0.00', 1.005, '1.00'],
    ['0.0', 0.25, '0.2'],
    ['0.0', 0.35, '0.3'],
    ['0.#', 5, '5'],
    ['0', -0.3, '-0'],
    ['0.00', 0.5, '0.50'],
    ['#,##0.0', 1234567.89, '1,234,567.9'],
    ['0%', 0.125, '12%'],
    ['yyyy-MM-dd', 3.7, 'yyyy-MM-dd4'],
  ])('writes by %s the number %d as %s', (pattern, value, expected) => {
    expect(decimalFormat(pattern)?.(value)).toBe(expected);
  });

  it('starts from the shortest digits of a number, as Java does', () => {
    const write = decimalFormat('0.00');
    expect(write?.(1501199875790168.75)).toBe('1501199875790168.80');
    expect(write?.(1e23)).toBe('100000000000000000000000.00');
  });

  it('takes for half-way only what is exactly so', () => {
    expect(decimalFormat('0.00')?.(32258068498609.285)).toBe('32258068498609.29');
  });
});
