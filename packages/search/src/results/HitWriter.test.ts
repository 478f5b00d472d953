import { describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';

const things = new TestCollection().put(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`d${n}`, { n }])));

const page = (gte: number, size: number, order = 'asc') =>
  things.ids({ query: { range: { n: { gte } } }, sort: [{ n: order }], size });

describe('a page of many hits', () => {
  it('shows them in their order, whether or not their rows lie together', () => {
    const ids = (from: number, count: number) => Array.from({ length: count }, (_, i) => `d${from + i}`);
    expect(page(40, 200)).toEqual(ids(40, 200));
    expect(page(0, 300, 'desc')).toEqual(ids(0, 300).reverse());
    things.put({ d50: { n: 50 }, d60: { n: 60 } }).delete('d70');
    expect(page(40, 100)).toEqual(ids(40, 101).filter((id) => id !== 'd70'));
  });
});
