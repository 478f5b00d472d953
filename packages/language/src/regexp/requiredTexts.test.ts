import { describe, expect, it } from 'vitest';
import { readPattern } from './PatternReader.js';
import { foldedTexts, requiredRuns } from './requiredTexts.js';

const texts = (source: string, flags = '') => foldedTexts(readPattern(source, flags.includes('u')), flags).required;
const runs = (source: string, flags = '') => requiredRuns(readPattern(source, flags.includes('u')), flags);

describe('the strings that a match must contain', () => {
  it.each([
    ['Error', '', ['error']],
    ['^foo\\b', '', ['foo']],
    ['fo+bar', '', ['bar']],
    ['(?:foo|barn)x', '', ['foo', 'barn']],
    ['a(bc)?def[g]hijk', '', ['hijk']],
    ['x{2}', '', undefined],
    ['(?:abc)+', '', ['abc']],
    ['(?:abc)*', '', undefined],
    ['foo|x', '', undefined],
    ['a\\.b\\d', '', ['a.b']],
    ['\\x61bc', '', undefined],
    ['Ünde', '', ['Ünde']],
    ['Ünde', 'i', ['nde']],
    ['ask', 'iu', undefined],
    ['ask', 'i', ['ask']],
  ] as const)('of /%s/%s is one of a set', (source, flags, expected) => {
    expect(texts(source, flags)).toEqual(expected);
  });

  it('are all known where the pattern is a row of parts', () => {
    expect(runs('foo[a-z]? Bar(?:x|y)(z1)')).toEqual(['foo', ' Bar', 'z1']);
    expect(runs('(?:foo)bar')).toEqual(['foobar']);
    expect(runs('foo', 'i')).toEqual([]);
    const { needed } = foldedTexts(readPattern('foo[a-z]? BarÜ(?:x|y)(z1)', false), 'i');
    expect(needed).toEqual(['foo', ' bar', 'z1']);
    expect(runs('(?:foo)?b+')).toEqual([]);
  });
});
