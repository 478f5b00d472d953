import { describe, expect, it } from 'vitest';
import { compileWildcard } from './compileWildcard.js';

describe('compileWildcard', () => {
  it.each([
    ['a*', 'abc', true],
    ['*c', 'abc', true],
    ['a*b*c', 'aXbYc', true],
    ['a*a', 'a', false],
    ['*', '', true],
    ['a.b', 'aXb', false],
    ['*a*a*a*', 'aa', false],
  ])('%s fits %s: %s', (pattern, text, expected) => {
    expect(compileWildcard(pattern)(text)).toBe(expected);
  });
});
