import { describe, expect, it } from 'vitest';
import { addDecimals } from './addDecimals.js';

describe('addDecimals', () => {
  it.each([
    ['0.1', '0.2', '0.3'],
    ['1000.1', '-1000', '0.1'],
    ['5.0e3', '2.0e2', '5200'],
    ['10.5', '-10.5', '0'],
    ['1e300', '1', `1${'0'.repeat(300)}`],
    ['1e-300', '0', '0'],
    ['-.5', '+3', '2.5'],
  ])('adds %s and %s', (left, right, sum) => {
    expect(addDecimals(left, right)).toBe(sum);
  });
});
