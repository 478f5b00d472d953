import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { useServer, type TestedEngine } from './TestServer.js';

const MAPPING = {
  properties: {
    title: { type: 'text' },
    tag: { type: 'keyword' },
    when: { type: 'date' },
    items: { type: 'nested', properties: { count: { type: 'integer' } } },
  },
};

interface Explanation {
  readonly query: JsonObject;
  readonly clauses: readonly { path: string; usesIndex: boolean; cost: number }[];
  readonly follow: { readonly mode: string; readonly because?: string };
}

export function describeExplain(engine: TestedEngine): void {
  describe('document.explain', () => {
    const server = useServer(engine);
    const explain = async (index: string, body: JsonObject, collection = 'books') => {
      const { body: answer } = await server().http('POST', `/${index}/${collection}/_explain`, body);
      expect(answer.error).toBeNull();
      return answer.result as unknown as Explanation;
    };
    const filled = async () => {
      const index = server().newIndex();
      await server().http('PUT', `/${index}/books`, MAPPING);
      const bulkData = Array.from({ length: 10 }, (_, n) => [
        { create: { _id: `d${n}` } },
        { title: n < 3 ? 'An old Mill' : 'A house', tag: `t${n % 2}`, items: [{ count: n }] },
      ]).flat();
      await server().http('POST', `/${index}/books/_bulk?refresh=wait_for`, { bulkData });
      return index;
    };

    it('shows the query as it is compared, and what its clauses cost (SEARCH-110, SEARCH-111)', async () => {
      const index = await filled();
      const nested = { path: 'items', query: { range: { 'items.count': { gte: 8 } } } };
      const { query, clauses } = await explain(index, {
        query: {
          bool: {
            must: [{ match: { title: 'OLD mills' } }, { nested }],
            filter: { range: { when: { gte: '2024-01-01' } } },
            should: [{ wildcard: { tag: '*0' } }, { term: { unknown: 1 } }],
            must_not: { term: { tag: 't1' } },
          },
        },
      });
      expect(query).toMatchObject({
        bool: {
          must: [
            { match: { field: 'title', type: 'text', words: [{ terms: ['old'] }, { terms: ['mills'] }] } },
            { nested: { query: { range: { field: 'items.count', type: 'integer' } } } },
          ],
          filter: [{ range: { type: 'date', range: { lower: { value: Date.UTC(2024, 0, 1) } } } }],
          should: [{ wildcard: { field: 'tag' } }, { match_none: {} }],
        },
      });
      expect(clauses).toEqual([
        { path: 'query.bool.must[0].match', usesIndex: true, cost: 3 },
        { path: 'query.bool.must[1].nested.query.range', usesIndex: true, cost: 2 },
        { path: 'query.bool.filter.range', usesIndex: true, cost: 0 },
        { path: 'query.bool.should[0].wildcard', usesIndex: false, cost: 10 },
        { path: 'query.bool.should[1].term', usesIndex: true, cost: 0 },
        { path: 'query.bool.must_not.term', usesIndex: true, cost: 5 },
      ]);
      const every = await explain(index, {});
      expect(every).toMatchObject({ query: { match_all: {} }, clauses: [{ usesIndex: false, cost: 10 }] });
      const values = Array.from({ length: 120 }, (_, i) => ({ term: { tag: `t${i}` } }));
      const many = await explain(index, { query: { bool: { should: values } } });
      expect(many.clauses).toHaveLength(100);
      const absent = await explain(index, { query: { term: { tag: 't1' } } }, 'absent');
      expect(absent).toMatchObject({ query: { match_none: {} }, clauses: [{ cost: 0 }] });
    });

    it('says whether changes could be followed, and why not (SEARCH-112)', async () => {
      const index = await filled();
      const filter = { bool: { filter: { match: { title: 'mill' } } } };
      for (const body of [
        {},
        { query: filter },
        {
          query: filter,
          sort: [{ when: 'desc' }],
          aggregations: { a: { terms: { field: 'tag' }, aggregations: { b: { max: { field: 'when' } } } } },
        },
        { query: { match: { title: 'mill' } }, sort: ['_id'] },
        { query: { match: { title: 'mill' } }, size: 0 },
      ]) {
        expect([body, (await explain(index, body)).follow]).toEqual([body, { mode: 'incremental' }]);
      }
      for (const [body, because] of [
        [{ query: { match: { title: 'mill' } } }, '_score'],
        [{ query: filter, sort: ['_score'] }, '_score'],
        [{ query: filter, min_score: 1 }, 'scores'],
        [{ query: filter, highlight: { fields: { title: {} } } }, 'highlight'],
        [{ query: filter, post_filter: { term: { tag: 't1' } } }, 'post_filter'],
        [{ query: { fuzzy: { tag: 'tt' } }, sort: ['_id'] }, 'fuzzy at query.fuzzy'],
        [{ query: { function_score: { weight: 2 } }, sort: ['_id'] }, 'function_score at query'],
        [
          { query: { nested: { path: 'items', query: { match_all: {} }, inner_hits: {} } }, sort: ['_id'] },
          'inner_hits at query.nested',
        ],
        [
          {
            size: 0,
            aggregations: { a: { terms: { field: 'tag' }, aggregations: { b: { percentiles: { field: 'when' } } } } },
          },
          'percentiles at aggregations.a',
        ],
        [
          { size: 0, aggregations: { a: { terms: { field: 'tag', size: 20_000 } } } },
          'takes too long for each document',
        ],
        [
          { size: 0, aggregations: { a: { date_range: { field: 'when', ranges: [{ from: 'now-1d' }] } } } },
          'the current time',
        ],
        [{ sort: ['_doc'] }, '_doc'],
        [{ sort: ['_id'], search_after: ['a'] }, 'search_after'],
        [{ query: { range: { when: { lt: 'now' } } }, sort: ['_id'] }, 'now at query.range'],
      ] as const) {
        const { follow } = await explain(index, body);
        expect([follow.mode, follow.because]).toEqual(['rerun', expect.stringContaining(because)]);
      }
    });

    it('refuses what a search refuses (SEARCH-113)', async () => {
      const index = await filled();
      for (const [body, status, id] of [
        [{ query: { script: {} } }, 400, 'query.forbidden'],
        [{ query: { term: { when: 'x' } } }, 400, 'query.invalid'],
        [{ sort: ['unknown'] }, 400, 'query.invalid'],
      ] as const) {
        const reply = await server().http('POST', `/${index}/books/_explain`, body);
        expect(reply.body).toMatchObject({ status, error: { id } });
      }
      const none = await server().http('POST', `/${server().newIndex()}/books/_explain`, {});
      expect(none.body).toMatchObject({ status: 404, error: { id: 'storage.index_not_found' } });
    });
  });
}
