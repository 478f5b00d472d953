import fc from 'fast-check';
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { TestCollection } from './TestCollection.test.support.js';

/*
 * Random queries over random documents, compared with an evaluator that examines every document. Documents are written
 * in three rounds with updates and deletions in between, and fields have none, one or several values.
 */
const WORDS = ['red', 'green', 'blue', 'Ä', '\u{1F600}', '\uFFFD', 'greenish'] as const;

interface Row {
  readonly tag: readonly string[];
  readonly n: readonly number[];
  readonly text: string | undefined;
}

function toSource({ tag, n, text }: Row): JsonObject {
  const list = (values: readonly JsonValue[]): JsonValue => (values.length === 1 ? (values[0] as JsonValue) : values);
  return { tag: list(tag), n: list(n), ...(text === undefined ? {} : { text }) };
}

const row = fc.record({
  tag: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }),
  n: fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 3 }),
  text: fc.option(
    fc.array(fc.constantFrom('alpha', 'beta', 'gamma'), { maxLength: 4 }).map((words) => words.join(' ')),
    { nil: undefined },
  ),
});

function matches(query: JsonObject, document: Row): boolean {
  const [[kind, body]] = Object.entries(query) as [[string, JsonObject]];
  const [[field, option]] = (Object.entries(body).length > 0 ? Object.entries(body) : [['', null]]) as [
    [string, JsonValue],
  ];
  const values: readonly (string | number)[] =
    field === 'tag' ? document.tag : field === 'n' ? document.n : (document.text?.split(' ') ?? []);
  switch (kind) {
    case 'term':
      return values.includes(option as string);
    case 'terms':
      return (option as string[]).some((value) => values.includes(value));
    case 'range': {
      const { gte, lt } = option as { gte: number; lt: number };
      return (values as number[]).some((value) => value >= gte && value < lt);
    }
    case 'match':
      return (option as string).split(' ').some((word) => values.includes(word));
    case 'exists': {
      const name = (body as { field: string }).field;
      return name === 'text' ? document.text !== undefined : (name === 'tag' ? document.tag : document.n).length > 0;
    }
    default: {
      const {
        must = [],
        filter = [],
        should = [],
        must_not = [],
        minimum_should_match,
      } = body as Record<string, JsonObject[]> & { minimum_should_match?: number };
      if (must.length + filter.length + should.length + must_not.length === 0) return true;
      const isShouldAlone = must.length + filter.length === 0 && should.length > 0;
      const minimum = minimum_should_match ?? (isShouldAlone ? 1 : 0);
      return (
        [...must, ...filter].every((inner) => matches(inner, document)) &&
        !must_not.some((inner) => matches(inner, document)) &&
        should.filter((inner) => matches(inner, document)).length >= minimum
      );
    }
  }
}

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom(...WORDS, 'none').map((value) => ({ term: { tag: value } })),
  fc.integer({ min: -6, max: 6 }).map((value) => ({ term: { n: value } })),
  fc
    .array(fc.constantFrom(...WORDS, 'none'), { minLength: 1, maxLength: 3 })
    .map((values) => ({ terms: { tag: values } })),
  fc.array(fc.integer({ min: -6, max: 6 }), { minLength: 1, maxLength: 3 }).map((values) => ({ terms: { n: values } })),
  fc
    .tuple(fc.integer({ min: -6, max: 6 }), fc.nat(6))
    .map(([gte, width]) => ({ range: { n: { gte, lt: gte + width } } })),
  fc.constantFrom('alpha', 'beta gamma', 'gamma delta').map((text) => ({ match: { text } })),
  fc.constantFrom('tag', 'n', 'text').map((field) => ({ exists: { field } })),
);
const query: fc.Arbitrary<JsonObject> = fc.letrec<{ any: JsonObject }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .record({
        must: fc.array(tie('any'), { maxLength: 2 }),
        filter: fc.array(tie('any'), { maxLength: 2 }),
        should: fc.array(tie('any'), { maxLength: 3 }),
        must_not: fc.array(tie('any'), { maxLength: 2 }),
        minimum_should_match: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
      })
      .map(({ minimum_should_match, ...clauses }) => ({
        bool: {
          ...clauses,
          ...(minimum_should_match === undefined ? {} : { minimum_should_match }),
        },
      })),
  ),
})).any;

const mapping = {
  properties: { tag: { type: 'keyword' }, n: { type: 'integer' }, text: { type: 'text' } },
};
const living = new Map<string, Row>();
const things = new TestCollection(mapping);

function fill(): void {
  const rounds = fc.sample(fc.array(row, { minLength: 60, maxLength: 60 }), {
    seed: 11,
    numRuns: 3,
  });
  rounds.forEach((rows, round) => {
    const documents = new Map(rows.map((one, i) => [`d${(i * (round + 1)) % 90}`, one]));
    things.put(Object.fromEntries([...documents].map(([id, one]) => [id, toSource(one)])));
    for (const [id, one] of documents) {
      living.delete(id);
      living.set(id, one);
    }
    expect(things.count({})).toBe(living.size);
    for (const id of [...living.keys()].filter((_, i) => i % 7 === round)) {
      things.delete(id);
      living.delete(id);
    }
  });
}

const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('random searches', () => {
  fill();

  it('match the documents that a look at each of them finds', () => {
    fc.assert(
      fc.property(query, (one) => {
        const expected = [...living].filter(([, document]) => matches(one, document)).map(([id]) => id);
        expect(things.ids({ query: { constant_score: { filter: one } } })).toEqual(expected);
        expect(things.ids({ query: one, sort: ['_doc'] })).toEqual(expected);
        expect(things.ids({ query: one }).sort()).toEqual([...expected].sort());
      }),
      { seed: 21, numRuns: 400 },
    );
  });

  it('sort as values do', () => {
    const by = (order: string, mode: string) => (document: Row) => {
      const sorted = [...document.n].sort((a, b) => a - b);
      if (sorted.length === 0) return Infinity;
      const value =
        mode === 'min'
          ? (sorted[0] as number)
          : mode === 'max'
            ? (sorted.at(-1) as number)
            : sorted.reduce((a, b) => a + b, 0);
      return order === 'asc' ? value : -value;
    };
    fc.assert(
      fc.property(leaf, fc.constantFrom('asc', 'desc'), fc.constantFrom('min', 'max', 'sum'), (one, order, mode) => {
        const key = by(order, mode);
        const expected = [...living]
          .filter(([, document]) => matches(one, document))
          .sort(([, a], [, b]) => (key(a) === key(b) ? 0 : key(a) - key(b)))
          .map(([id]) => id);
        expect(things.ids({ query: one, sort: [{ n: { order, mode } }] })).toEqual(expected);
      }),
      { seed: 22, numRuns: 200 },
    );
    const tags = things.search({ sort: [{ tag: 'desc' }], size: 100 }).hits.map((hit) => hit.sort?.[0]);
    const present = tags.filter((tag): tag is string => typeof tag === 'string');
    expect(present).toEqual([...present].sort((a, b) => bytes(b, a)));
  });

  it('count terms, and sums below them', () => {
    fc.assert(
      fc.property(leaf, fc.integer({ min: 1, max: 8 }), (one, size) => {
        const found = [...living.values()].filter((document) => matches(one, document));
        const counts = new Map<string, { count: number; sum: number }>();
        for (const document of found) {
          for (const tag of new Set(document.tag)) {
            const entry = counts.get(tag) ?? { count: 0, sum: 0 };
            entry.count += 1;
            entry.sum += document.n.reduce((a, b) => a + b, 0);
            counts.set(tag, entry);
          }
        }
        const ordered = [...counts].sort(([a, x], [b, y]) => y.count - x.count || bytes(a, b));
        const { aggregations } = things.search({
          query: one,
          size: 0,
          aggs: { t: { terms: { field: 'tag', size }, aggs: { s: { sum: { field: 'n' } } } } },
        });
        expect(aggregations).toEqual({
          t: {
            doc_count_error_upper_bound: 0,
            sum_other_doc_count: ordered.slice(size).reduce((sum, [, { count }]) => sum + count, 0),
            buckets: ordered
              .slice(0, size)
              .map(([key, { count, sum }]) => ({ key, doc_count: count, s: { value: sum } })),
          },
        });
      }),
      { seed: 23, numRuns: 200 },
    );
  });
});
