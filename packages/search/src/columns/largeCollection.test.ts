import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { TestCollection } from '../TestCollection.test.support.js';

/** Above the length from which columns are sorted coarsely, with new documents afterwards. */
const COUNT = 70_000;
const valueOf = (i: number) => (i * 7_919) % 50_021;

const things = new TestCollection({
  properties: { n: { type: 'integer' }, even: { type: 'boolean' } },
});
const living = new Map<string, number | undefined>();
const put = (from: number, to: number) => {
  const documents: Record<string, JsonObject> = {};
  for (let i = from; i < to; i += 1) {
    const n = i % 11 === 0 ? undefined : valueOf(i);
    documents[`d${i}`] = { ...(n === undefined ? {} : { n }), even: i % 2 === 0 };
    living.set(`d${i}`, n);
  }
  things.put(documents);
};

describe('a collection with coarsely sorted columns', () => {
  put(0, COUNT);
  it('is searched and sorted as without them, also after changes', () => {
    check();
    put(COUNT, COUNT + 500);
    for (let i = 0; i < 300; i += 1) {
      const id = `d${(i * 331) % COUNT}`;
      things.delete(id);
      living.delete(id);
    }
    check();
  });
});

function check(): void {
  for (const [gte, lt] of [
    [100, 400],
    [-5, 3],
    [50_000, 60_000],
    [0, 50_021],
    [70_000, 80_000],
    [-9, -1],
  ] as const) {
    const expected = [...living].filter(([, n]) => n !== undefined && n >= gte && n < lt).map(([id]) => id);
    const range = { range: { n: { gte, lt } } };
    expect(things.count({ query: range })).toBe(expected.length);
    expect(things.ids({ query: range })).toEqual(expected.slice(0, 1_000));
    const both = { bool: { filter: [range, { term: { even: true } }] } };
    expect(things.count({ query: both })).toBe(expected.filter((id) => Number(id.slice(1)) % 2 === 0).length);
  }
  for (const order of ['asc', 'desc'] as const) {
    const sign = order === 'asc' ? 1 : -1;
    const expected = [...living]
      .map(([id, n], place) => ({ id, key: n === undefined ? Infinity : sign * n, place }))
      .sort((a, b) => (a.key === b.key ? a.place - b.place : a.key - b.key))
      .map(({ id }) => id);
    const page = things.search({ sort: [{ n: order }], from: 5, size: 40 });
    expect(page.hits.map((hit) => hit.id)).toEqual(expected.slice(5, 45));
    expect(page.total).toBe(living.size);
  }
}
