import { describe, expect, it } from 'vitest';
import { parseTimeSpan } from './parseTimeSpan.js';

describe('parseTimeSpan (SEC-51)', () => {
  it.each([
    [90, 90],
    ['120', 120],
    ['10h', 36_000],
    ['2 days', 172_800],
    ['1m', 60],
    ['1.5h', 5_400],
    ['30 Days', 2_592_000],
    ['1 week', 604_800],
    ['2y', 63_115_200],
    ['1500ms', 2],
    ['1 ms', 1],
  ])('reads %j as %d seconds', (value, seconds) => {
    expect(parseTimeSpan(value)).toBe(seconds);
  });

  it.each([
    0,
    -1,
    '0',
    '-10h',
    '0s',
    'soon',
    '',
    'h',
    true,
    {},
    [60],
    1.5,
    null,
    undefined,
    Infinity,
    NaN,
    '1 fortnight',
    '1  h',
    ' 1h',
    '1h ',
    '1e3',
    '0x10',
    '9'.repeat(400),
    '1'.repeat(15) + 'y',
    'constructor',
    '1 constructor',
    '1 __proto__',
  ])('refuses %j', (value) => {
    expect(parseTimeSpan(value)).toBeUndefined();
  });
});
