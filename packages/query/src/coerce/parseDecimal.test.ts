import { describe, expect, it } from 'vitest';
import { parseDecimal } from './parseDecimal.js';

describe('parseDecimal', () => {
  it.each([
    ['0.00', '5', 5],
    ['0.00', '-5.25', -5.25],
    ['0.00', '5 apples', 5],
    ['0.00', '1e2', 1],
    ['0.00', '1E2', 100],
    ['0.00', '.5', 0.5],
    ['0.00', '1,000', 1],
    ['#,##0.0', '1,000', 1000],
    ['0%', '50%', 0.5],
    ['$0', '$7', 7],
  ])('reads by %s: %s', (pattern, text, expected) => {
    expect(parseDecimal(pattern, text)).toBe(expected);
  });

  it.each([
    ['0.00', '+5'],
    ['0.00', ' 5'],
    ['0.00', ''],
    ['0.00', '-'],
    ['0%', '50'],
    ['$0', '7'],
  ])('finds no number by %s in %j', (pattern, text) => {
    expect(parseDecimal(pattern, text)).toBeNaN();
  });

  it('knows nothing of patterns with an exponent', () => {
    expect(parseDecimal('0.0E0', '5')).toBeUndefined();
  });
});
