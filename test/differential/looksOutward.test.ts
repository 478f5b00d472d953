import { describe, expect, it } from 'vitest';
import { looksOutward } from './looksOutward.js';

const nested = (path: string, inner: object) => ({ nested: { path, query: inner } });
const some = { term: { 'a.b.c': 1 } };

describe('looksOutward', () => {
  it.each([
    nested('a', { bool: { must: [nested('a', some)] } }),
    nested('a.b', nested('a', some)),
    { aggs: { x: { nested: { path: 'a' }, aggs: { y: { filter: nested('a', some) } } } } },
    { sort: [{ 'a.c': { nested: { path: 'a', filter: nested('a', some) } } }] },
  ])('is so for %j', (request) => expect(looksOutward(request)).toBe(true));

  it.each([
    nested('a', nested('a.b', some)),
    { bool: { must: [nested('a', some), nested('a', some)] } },
    nested('a.b', nested('ab', some)),
    {
      nested: { path: 'a' },
      aggs: { x: { reverse_nested: {}, aggs: { y: { filter: nested('a', some) } } } },
    },
  ])('is not so for %j', (request) => expect(looksOutward(request)).toBe(false));
});
