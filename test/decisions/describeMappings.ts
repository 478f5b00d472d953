import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { useServer, type TestedEngine } from './TestServer.js';

export function describeMappings(engine: TestedEngine): void {
  describe('mappings and searches', () => {
    const server = useServer(engine);
    const created = async (properties: JsonObject, documents: readonly JsonObject[]) => {
      const index = server().newIndex();
      expect(await server().http('PUT', `/${index}/books`, { properties })).toMatchObject({
        status: 200,
      });
      const bulkData = documents.flatMap((source, n) => [{ create: { _id: `d${n}` } }, source]);
      await server().http('POST', `/${index}/books/_bulk?refresh=wait_for`, { bulkData });
      return index;
    };
    const search = (index: string, body: JsonObject) => server().http('POST', `/${index}/books/_search`, body);
    const count = async (index: string, query: JsonObject) => {
      const { body } = await server().http('POST', `/${index}/books/_count`, { query });
      return (body.result as { readonly count: number }).count;
    };

    it('sorts and aggregations need doc_values or fielddata, queries need index (SEARCH-44)', async () => {
      const properties = {
        plain: { type: 'keyword' },
        unsorted: { type: 'keyword', doc_values: false },
        unindexed: { type: 'keyword', index: false, doc_values: false },
        text: { type: 'text' },
        sortable: { type: 'text', fielddata: true },
      };
      const values = { plain: 'a', unsorted: 'a', unindexed: 'a', text: 'a', sortable: 'a' };
      const index = await created(properties, [values]);
      const terms = (field: string) => ({ aggs: { values: { terms: { field } } } });
      const searches: readonly (readonly [JsonObject, number])[] = [
        [{ sort: ['plain'] }, 200],
        [{ sort: ['unsorted'] }, 400],
        [{ sort: ['text'] }, 400],
        [{ sort: ['sortable'] }, 200],
        [terms('plain'), 200],
        [terms('unsorted'), 400],
        [terms('text'), 400],
        [terms('sortable'), 200],
        [{ query: { term: { unsorted: 'a' } } }, 200],
        [{ query: { term: { unindexed: 'a' } } }, 400],
      ];
      for (const [body, status] of searches) {
        expect([body, (await search(index, body)).status]).toEqual([body, status]);
      }
    });

    it('a new multi-field finds former documents on the embedded engine, and later ones on Elasticsearch (SEARCH-101)', async () => {
      const index = await created({ title: { type: 'keyword' } }, [{ title: 'Middle March' }]);
      const title = { type: 'keyword', fields: { words: { type: 'text' } } };
      const path = `/${index}/books/_mapping`;
      expect((await server().http('PUT', path, { properties: { title } })).status).toBe(200);
      const query = { match: { 'title.words': 'middle' } };
      const { serverInfo } = (await server().http('GET', '/_serverInfo')).body.result as {
        readonly serverInfo: { readonly services: { readonly storage: { readonly type: string } } };
      };
      const isEmbedded = serverInfo.services.storage.type === 'sqlite';
      expect(await count(index, query)).toBe(isEmbedded ? 1 : 0);
      const again = { title: 'Middle March' };
      await server().http('PUT', `/${index}/books/d0?refresh=wait_for`, again);
      expect(await count(index, query)).toBe(1);
    });
  });
}
