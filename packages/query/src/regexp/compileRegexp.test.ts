import { describe, expect, it } from 'vitest';
import { soleTermOfRegexp } from './compileRegexp.js';

const soleTerm = (pattern: string, caseInsensitive = false) =>
  soleTermOfRegexp(pattern, { flags: 'ALL', caseInsensitive, path: 'query' });

describe('the one term of a regular expression', () => {
  it.each([
    ['mill', 'mill'],
    ['[m]ill', 'mill'],
    ['mi\\l{2}', 'mill'],
    ['(mill|mill)', 'mill'],
    ['mill#?', 'mill'],
    ['m.ll&.i.*', 'mill'],
    ['m.l&.i.', 'mil'],
    ['(a|b)&~a', 'b'],
    ['<7-7>', '7'],
    ['', ''],
    ['a?', undefined],
    ['a|b', undefined],
    ['.', undefined],
    ['#', undefined],
    ['a&b', undefined],
    ['~(.*)', undefined],
    ['a{9999}', undefined],
  ])('of %s is %s', (pattern, expected) => {
    expect(soleTerm(pattern)).toBe(expected);
  });

  it('is none where letters stand for both cases', () => {
    expect(soleTerm('mill', true)).toBeUndefined();
    expect(soleTerm('1-2', true)).toBe('1-2');
  });
});
