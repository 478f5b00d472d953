import { describe, expect, it } from 'vitest';
import { regexpSize } from './regexpSize.js';

describe('the size of a regular expression', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['a{3}b', 4],
    ['(ab|c){2,5}', 15],
    ['(.{1,500}){1,500}', 250_000],
    ['((a{10}){10}){10}', 1_000],
    ['(a{2,})', 3],
    ['(ab)+', 4],
    ['a*b?', 2],
    ['[a-z{9}]{4}', 4],
    ['[\\]x]{4}', 4],
    ['\\{9}', 3],
    ['a{', 2],
    ['(((', 0],
    [')))a', 1],
  ])('%s is %i', (pattern, size) => {
    expect(regexpSize(pattern)).toBe(size);
  });
});
