import { describe, expect, it } from 'vitest';
import { roundDecimal } from './roundDecimal.js';

describe('roundDecimal', () => {
  it.each([
    ['0.30000000000000004', '0.3'],
    ['-184.10000000000000001', '-184.1'],
    ['1234567890123456789', '1234567890123460000'],
    ['0.000000000000000123456789012345678', '0.000000000000000123456789012346'],
    ['12.5', '12.5'],
    ['inf', 'inf'],
  ])('shows %s with 15 digits as %s', (text, rounded) => {
    expect(roundDecimal(text, 15)).toBe(rounded);
  });

  it('rounds halves to even', () => {
    expect([roundDecimal('1.25', 2), roundDecimal('1.35', 2)]).toEqual(['1.2', '1.4']);
  });
});
