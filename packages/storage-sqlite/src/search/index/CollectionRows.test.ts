import { afterAll, describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';
import { DamagedRow } from './CollectionRows.js';

const things = new TestCollection().put(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`d${n}`, { n }])));
afterAll(() => {
  things.close();
});

const page = (gte: number, size: number) =>
  things.ids({ query: { range: { n: { gte } } }, sort: [{ n: 'asc' }], size });

describe('a page of many hits', () => {
  it('fails for a damaged document in it, and not for one between its rows', () => {
    expect(page(100, 60)).toHaveLength(60);
    things.exec(`UPDATE docs_1 SET c = c + 1 WHERE id = 'd120'`);
    expect(() => page(100, 60)).toThrow(DamagedRow);
    const without = {
      bool: { must_not: [{ term: { n: 120 } }], filter: [{ range: { n: { gte: 100 } } }] },
    };
    expect(things.ids({ query: without, size: 60 })).toHaveLength(60);
  });
});
