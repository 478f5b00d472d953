/* Searches within a view, as rights on documents limit them. */
import type { JsonObject, SearchOutcome } from '@millrace/kernel';
import { parseQuery, parseSearch } from '@millrace/query';
import { describe, expect, it } from 'vitest';
import { TestCollection } from '../TestCollection.test.support.js';

const MAPPING = {
  properties: {
    owner: { type: 'keyword' },
    text: { type: 'text' },
    tag: { type: 'keyword' },
    flag: { type: 'boolean' },
    n: { type: 'integer' },
    day: { type: 'date' },
    items: { type: 'nested', properties: { name: { type: 'keyword' } } },
  },
};
const WORDS = ['mill', 'race', 'river', 'weir', 'lane'];
const SEARCHES: readonly JsonObject[] = [
  { query: { match: { text: 'mill race' } } },
  { query: { match: { text: 'river' } }, sort: [{ n: 'asc' }, { _id: 'asc' }] },
  { query: { term: { tag: 'mill' } } },
  { query: { term: { flag: true } } },
  { query: { nested: { path: 'items', query: { term: { 'items.name': 'weir' } } } } },
  { query: { bool: { must_not: { match: { text: 'weir' } } } }, sort: [{ _id: 'asc' }] },
  { size: 0, aggs: { x: { terms: { field: 'tag', min_doc_count: 0 } } } },
  { size: 0, aggs: { all: { global: {}, aggs: { x: { sum: { field: 'n' } } } } } },
];

/** Numbers from 0, the same ones at every run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

function within(things: TestCollection, documents: JsonObject, body: JsonObject): SearchOutcome {
  const view = { documents: [parseQuery(documents)], fields: [] };
  return things.run({ ...parseSearch({ size: 100, ...body }), view });
}

/** Ranks of equal scores depend on the order of writing, which is the same in both collections. */
function comparable({ hits, total, aggregations }: SearchOutcome): JsonObject {
  const shown = hits.map(({ id, score, source }) => [id, score ?? null, source ?? {}]);
  return { hits: shown, total, ...(aggregations && { aggregations }) };
}

describe('a search within a view (SEC-82)', () => {
  it('finds what it would find if the others had never been written, whatever is written in between', () => {
    const things = new TestCollection(MAPPING);
    const below = sequence(5);
    const word = () => WORDS[below(WORDS.length)] as string;
    // In the order of writing.
    const documents = new Map<string, JsonObject>();
    for (let step = 0; step < 300; step += 1) {
      const id = `d${below(60)}`;
      if (step < 60 || below(4) === 0) {
        const owner = below(2) === 0 ? 'own' : 'other';
        const text = Array.from({ length: 1 + below(5) }, word).join(' ');
        const items = Array.from({ length: below(3) }, () => ({ name: word() }));
        const document = { owner, text, tag: word(), flag: below(2) === 0, n: below(50), items };
        things.put({ [id]: document });
        documents.delete(id);
        documents.set(id, document);
      } else if (below(8) === 0) {
        things.delete(id);
        documents.delete(id);
      }
      const body = SEARCHES[below(SEARCHES.length)] as JsonObject;
      const found = ['own', 'other'].map((owner) => within(things, { term: { owner } }, body));
      if (step % 6 !== 0) continue;
      for (const [at, owner] of ['own', 'other'].entries()) {
        const seen = [...documents].filter(([, document]) => document['owner'] === owner);
        const alone = new TestCollection(MAPPING);
        for (const [key, document] of seen) alone.put({ [key]: document });
        const expected = comparable(alone.search({ size: 100, ...body }));
        const of = `step ${step}, ${owner}: ${JSON.stringify(body)}`;
        expect(comparable(found[at] as SearchOutcome), of).toEqual(expected);
      }
    }
  });

  it('compares dates relative to now at each search', async () => {
    const things = new TestCollection(MAPPING);
    const day = new Date(Date.now() + 300).toISOString();
    things.put({ soon: { day } });
    const past = { range: { day: { lt: 'now' } } };
    expect(within(things, past, {}).total).toBe(0);
    await expect.poll(() => within(things, past, {}).total, { timeout: 10_000 }).toBe(1);
  });
});
