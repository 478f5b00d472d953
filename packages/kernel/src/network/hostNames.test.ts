import { describe, expect, it } from 'vitest';
import { hostNames, parseHostNames } from './hostNames.js';

describe('parseHostNames', () => {
  it('reads names, as a list or separated by commas, in lower case', () => {
    const expected = new Set(['data.example', '192.0.2.7', '[2001:db8::7]']);
    expect(parseHostNames('Data.example, 192.0.2.7,[2001:db8::7]')).toEqual(expected);
    expect(parseHostNames([...expected])).toEqual(expected);
    expect(parseHostNames('')).toEqual(new Set());
  });

  it.each(['http://data.example', 'data.example:80', 'a b', 'a/b', '*', '*.example', [7], 7])('refuses %j', (value) => {
    expect(() => hostNames(value)).toThrow('without scheme and port');
  });
});
