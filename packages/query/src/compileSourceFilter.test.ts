import { describe, expect, it } from 'vitest';
import { compileSourceFilter } from './compileSourceFilter.js';
import { compileWildcard } from './compileWildcard.js';

const source = {
  price: 1.5,
  qty: 10,
  items: [
    { sku: 'a', n: 1 },
    { sku: 'b', n: 5 },
  ],
  o: { a: { b: 1, c: 2 } },
  empty: [],
};
const filter = (includes: readonly string[], excludes: readonly string[] = []) =>
  compileSourceFilter({ enabled: true, includes, excludes })(source);

describe('_source filtering', () => {
  it('keeps what is named, with the objects around it', () => {
    expect(filter(['pri*', 'items.sku'])).toEqual({
      price: 1.5,
      items: [{ sku: 'a' }, { sku: 'b' }],
    });
    expect(filter(['o.a.b'])).toEqual({ o: { a: { b: 1 } } });
    expect(filter(['o'])).toEqual({ o: { a: { b: 1, c: 2 } } });
    expect(filter(['empty', 'nope'])).toEqual({ empty: [] });
  });

  it('lets excludes win', () => {
    expect(filter(['items', 'qty'], ['items.n'])).toEqual({
      qty: 10,
      items: [{ sku: 'a' }, { sku: 'b' }],
    });
    expect(filter([], ['o.*', 'items', 'empty'])).toEqual({ price: 1.5, qty: 10, o: {} });
  });

  it('gives nothing when switched off', () => {
    expect(
      compileSourceFilter({ enabled: false, includes: [], excludes: [] })(source),
    ).toBeUndefined();
  });
});

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
