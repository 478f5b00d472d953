import { describe, expect, it } from 'vitest';
import { globMatcher } from './matchGlob.js';

describe('globMatcher', () => {
  it.each([
    ['h?llo', 'hello', true],
    ['h?llo', 'hllo', false],
    ['h*llo', 'heeeello', true],
    ['h[ae]llo', 'hillo', false],
    ['h[^e]llo', 'hallo', true],
    ['h[b-a]llo', 'hallo', true],
    ['h\\*', 'h*', true],
    ['h\\*', 'hx', false],
    ['*', '', true],
    ['', 'x', false],
    ['a*b*c', 'a-b-b-c', true],
    ['[a', 'a', true],
    ['*\u00e9', 'x\u00e9', true],
  ])('%s against %s: %s', (pattern, text, isMatch) => {
    expect(globMatcher(pattern)(text)).toBe(isMatch);
  });

  it('takes no longer than pattern times text on hostile patterns', () => {
    const isMatch = globMatcher(`${'a*'.repeat(200)}b`);
    expect(isMatch('a'.repeat(5_000))).toBe(false);
  });
});
