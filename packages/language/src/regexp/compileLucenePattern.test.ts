import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileLucenePattern } from './translateLucene.js';
import { PatternFault } from './PatternNode.js';

describe('compileLucenePattern', () => {
  const matches = (pattern: string, text: string, caseInsensitive = false) =>
    compileLucenePattern(pattern, { flags: 'ALL', caseInsensitive })(text);
  it.each([
    ['f.*|story', 'fruit', true],
    ['f.*|story', 'story', true],
    ['rea?', 'red', false],
    ['[a-d]r.{1,3}[dk]', 'bread', true],
    ['[a-d]r.{1,3}[dk]', 'brd', false],
    ['[^a-c]+', 'xyz', true],
    ['[^a-c]+', 'xaz', false],
    ['a{2}', 'aa', true],
    ['a{2,}', 'a', false],
    ['a{2,}', 'aaaa', true],
    ['(ab)+c?', 'ababc', true],
    ['()', '', true],
    ['"a.b"', 'a.b', true],
    ['"a.b"', 'axb', false],
    ['a\\.b', 'a.b', true],
    ['@', 'anything', true],
    ['#', '', false],
    ['\\d+\\w', '12a', true],
    ['\\D', '1', false],
    ['.', '😀', true],
    ['[😀-😂]', '😁', true],
    ['', '', true],
    ['a()""b', 'ab', true],
    ['a|()', '', true],
    ['"^$\\/{|}"[\\]^-]+', '^$\\/{|}]^-', true],
    ['a+?', '', true],
    ['a+?*', 'aaa', true],
    ['[]x]', ']', true],
    ['.+', '\n\u2028', true],
    ['\\~\\&\\<[~&<]"~&<"', '~&<&~&<', true],
  ] as const)('%j on %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });
  it('folds the case of ASCII letters', () => {
    expect(matches('aBc', 'AbC', true)).toBe(true);
    expect(matches('aBc', 'AbC')).toBe(false);
  });
  it.each(['a|', '(a', 'a)', '[a', 'a{2', 'a{3,1}', '"a', 'a\\'])('refuses %j', (pattern) => {
    expect(() => matches(pattern, 'a')).toThrow(PatternFault);
  });
  it.each(['~a', 'a&b', '<1-2>', '(~a)'])('refuses the operator of %j, unless it is off', (pattern) => {
    expect(() => matches(pattern, 'a')).toThrow(/is not supported: write "\\[~&<]" for the character/);
    const literal = compileLucenePattern(pattern, { flags: 'ANYSTRING', caseInsensitive: false });
    expect(literal(pattern.replaceAll(/[()]/g, ''))).toBe(true);
  });
  it('refuses more than 10,000 steps', () => {
    expect(() => matches('(.{1,500}){1,500}', 'a')).toThrow('10000 steps');
    expect(matches('(a{1,50}){1,50}', 'a'.repeat(2_000))).toBe(true);
  });
  it('matches long strings with the automaton as short ones with the native matcher', () => {
    expect(matches('[a-y]+z', `${'abc'.repeat(1_000)}z`)).toBe(true);
    expect(matches('[a-y]+z', `${'abc'.repeat(1_000)}zz`)).toBe(false);
    expect(matches('b.*', `a${'b'.repeat(1_000)}`)).toBe(false);
  });
  it.each([
    ['*a', '*a'],
    ['+', '+'],
    ['a|*', '*'],
    ['?b', '?b'],
  ])('takes a sign with nothing before it for itself: %j', (pattern, text) => {
    expect(matches(pattern, text)).toBe(true);
    expect(matches(pattern, 'a')).toBe(pattern === 'a|*');
  });
  it('takes linear time where backtracking takes exponential time', () => {
    expect(matches('(a|a)*(a*)*b', 'a'.repeat(5_000))).toBe(false);
  });
  it('agrees with JavaScript on what both know', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|bb)', '(ab)?');
    const part = fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}')).map((pair) => pair.join(''));
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 }),
        (parts, text) => {
          // `(ab)??` is lazy in JavaScript but matches the same strings; `(ab)?{2}` is a syntax error there.
          const pattern = parts.map((one) => one.replace('(ab)?', '((ab)?)')).join('');
          expect(matches(pattern, text)).toBe(new RegExp(`^(?:${pattern})$`, 's').test(text));
        },
      ),
      { seed: 3, numRuns: 1_000 },
    );
  });
});
