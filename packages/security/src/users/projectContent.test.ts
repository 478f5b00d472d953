import { describe, expect, it } from 'vitest';
import { parseMapping } from '@millrace/query';
import { projectContent } from './projectContent.js';

const mapping = parseMapping({
  date_detection: false,
  properties: { age: { type: 'integer' }, place: { properties: { city: { type: 'keyword' } } } },
});

describe('projectContent', () => {
  it('keeps what fits, in order, and what the mapping does not know yet', () => {
    const content = { name: 'Ada', age: 36, place: { city: 'London', zip: 'SW1' }, since: '1815-12-10' };
    expect(projectContent(mapping, content)).toEqual(content);
  });

  it.each([
    ['a value of another type', { age: 'old' }],
    ['an object for a value', { age: { years: 1 } }],
    ['a value for an object', { place: 'London' }],
    ['a name that no field can have', { 'a..b': 1 }],
    ['an empty name', { '': 1 }],
    ['a string that is too long to be a term of a keyword', { place: { city: 'x'.repeat(40_000) } }],
  ])('leaves out %s, and that alone', (_, misfit) => {
    const content = { before: 1, ...misfit, after: 2 };
    expect(projectContent(mapping, content)).toEqual({ before: 1, after: 2 });
  });

  it('adds no more fields than the mapping may have, and takes what needs none', () => {
    const content = { one: 1, two: 2, three: 3, age: 4 };
    // `age`, `place` and `place.city` already count, so one more property fits.
    expect(projectContent(mapping, content, 3)).toEqual({ one: 1, age: 4 });
    expect(projectContent(mapping, content, 2)).toEqual({ age: 4 });
  });

  it('leaves out the later of two properties that do not go together', () => {
    const content = { 'a.b': 1, a: 'text' };
    expect(projectContent(mapping, content)).toEqual({ 'a.b': 1 });
  });

  it.each([
    ['properties', Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}`, i]))],
    ['misfits', Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}..`, i]))],
    ['inner properties', { p: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}`, i])) }],
  ])('takes no more than 500 of 100,000 %s', (_, content) => {
    expect(Object.keys(projectContent(mapping, content)).length).toBeLessThanOrEqual(500);
  });
});
