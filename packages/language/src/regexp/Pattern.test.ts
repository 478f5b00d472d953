import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pattern } from './Pattern.js';

/** Strings too long for the native matcher, so that the automaton runs. */
const PADDING = '\u0001'.repeat(300);

const PATTERNS: readonly (readonly [string, string])[] = [
  ['^a+b?c*$', 'm'],
  ['(a|b)*abb', ''],
  ['\\bfoo\\b|\\Bbar', ''],
  ['[^a-c]x{2,3}?y', 'i'],
  ['(?:a?){3}b', ''],
  ['(?<name>a|)b{2}', 's'],
  ['a.c', 's'],
  ['a.c', ''],
  ['\\u{61}\\p{L}[\\w-]+', 'u'],
  ['😀+b', 'u'],
  ['\\x61|\\cA|\\101|\\0', ''],
  ['[\\]a]\\/{1}]', ''],
  ['a{,2}|{', ''],
  ['ſ|K', 'iu'],
  ['(?:)*x', ''],
  ['[^a-c]|[]x|[^]y', ''],
  ['[a-c-x][--_][-a]', ''],
  ['[éſK]|[^\u0001x]', ''],
  ['[é-ſ]+[^😀]|ab-c', 'u'],
  ['xk s/y|fo+', 'iu'],
  ['AB.ſé', 'i'],
];

describe('a pattern', () => {
  it.each(PATTERNS)('finds with the automaton what ECMAScript finds: /%s/%s', (source, flags) => {
    const pattern = new Pattern(source, flags);
    const native = new RegExp(source, flags);
    const characters = fc.constantFrom(...'abcxyABKks\n-_ f\u0001]/{,2}o😀éſ');
    const text = fc.array(characters, { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (given) => {
        for (const each of [given, PADDING + given, given + PADDING]) {
          expect([each, pattern.matches(each)]).toEqual([each, native.test(each)]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['(a+)+$', 20_000],
    ['(a|a)*b', 20_000],
    ['(a*)*b', 20_000],
    ['a?'.repeat(60) + 'a'.repeat(60) + 'b', 200],
    ['(a|a)'.repeat(40) + 'b', 200],
    ['.*.*.*.*.*x', 250],
  ])('answers in linear time: %s', (source, length) => {
    const pattern = new Pattern(source, '');
    expect(pattern.matches(`${'a'.repeat(length)}!`)).toBe(false);
  });

  it.each([
    '(a|b)*a(a|b){200}[cz]',
    '(?:a.{0,60}){3}[qz]',
    '(?:[ab]?){300}a{300}[cz]',
    '(a|b|ab)*(a|b|c|ba){150}z?q',
    '\\b(?:[ab]+ ?)+\\b!',
  ])('answers in a quarter of a second for 100,000 characters: %s', (source) => {
    const pattern = new Pattern(source, '');
    // A sequence that doesn't repeat itself, so that states don't either; it begins with the required characters.
    let seed = 1;
    const next = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) >>> 16;
    const text = 'zqc!'.concat(Array.from({ length: 100_000 }, () => 'ab '[(next() % 9) >> 2]).join(''));
    // Exponential cost would hit the time limit of the test.
    expect(typeof pattern.matches(text)).toBe('boolean');
  });

  it('gives a long value the same answer whatever was searched before, and a small pattern all of it', () => {
    const text = `${'ab'.repeat(24_900)}c`;
    expect(new Pattern('(?:a?b?){80}[c]$', '').matches(text)).toBe(true);
    const share = { steps: 0 };
    const many = Array.from({ length: 4 }, () => new Pattern('(?:a?[ab]){600}[c]$', '', share));
    const once = new Pattern('(?:a?[ab]){600}[c]$', '', share);
    const long = `${'aab'.repeat(60_000)}c`;
    const answers = many.map((pattern) => pattern.matches(long));
    once.matches('ab'.repeat(500));
    expect([...answers, once.matches(long), once.matches(long)]).toEqual(Array.from({ length: 6 }, () => answers[0]));
  });

  it('follows no more steps than its filter may, whatever the value', () => {
    const share = { steps: 100_000 };
    const pattern = new Pattern('(a|b)*a(a|b){200}[cz]$', '', share);
    let seed = 1;
    const next = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) >>> 16;
    const text = (length: number) => `${Array.from({ length }, () => 'ab'[next() & 1]).join('')}a${'b'.repeat(200)}c`;
    expect(pattern.matches(text(1_000))).toBe(true);
    expect(pattern.matches(text(200_000))).toBe(false);
    expect(new Pattern('(a|b)*a(a|b){200}[cz]$', '').matches(text(30_000))).toBe(true);
  });

  it.each(['(?=a)', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>', '[', 'a**'])(
    'is refused unless it is a regular pattern: %s',
    (source) => expect(() => new Pattern(source, '')).toThrow(),
  );
});
