import {
  NO_DOCUMENT_METADATA,
  stampMetadata,
  type CollectionName,
  type JsonObject,
  type JsonValue,
  type StorageEngine,
  type WriteOperation,
  type WriteOutcome,
  type WriteStamp,
} from '@millrace/kernel';
import { parseMapping, parseSearch, toMappingBody, type Mapping } from '@millrace/query';
import { expect } from './runner/expect.js';
import type { TestRunner } from './runner/TestRunner.js';

/** An engine under test: started, on a separate empty store. */
export interface OpenedEngine {
  readonly engine: StorageEngine;
  /** Stops it, and opens another engine on the same store. */
  reopen(): Promise<StorageEngine>;
  /** Stops it and removes the store. */
  close(): Promise<void>;
}

const NAME: CollectionName = { index: 'suite', collection: 'things' };
const DYNAMIC = (): Mapping => parseMapping({ dynamic: true, properties: {} });

/**
 * The contract of `StorageEngine` as tests: every engine, ours or a plugin's, runs it.
 * @param name shown in the test titles
 * @param open returns a new engine for each test
 * @param runner `import * as runner from 'vitest'`, or from `'node:test'`
 */
export function describeStorageEngine(name: string, open: () => Promise<OpenedEngine>, runner: TestRunner): void {
  const { describe, it, beforeEach, afterEach } = runner;
  describe(`${name} as a StorageEngine`, () => {
    let opened: OpenedEngine;
    let engine: StorageEngine;

    beforeEach(async () => {
      opened = await open();
      engine = opened.engine;
    });
    afterEach(() => opened.close());

    const put = (id: string, source: object, condition: number | 'absent' | 'present' | 'any' = 'any') =>
      ({ ...NAME, kind: 'put', id, source, condition }) as WriteOperation;
    const remove = (id: string, condition: number | 'present' = 'present') =>
      ({ ...NAME, kind: 'delete', id, condition }) as WriteOperation;
    const write = (...operations: WriteOperation[]) => engine.write(operations, true);
    const shape = (outcome: WriteOutcome | undefined) =>
      outcome?.status === 'failed' ? outcome.error.id : `${outcome?.status} ${outcome?.version}`;
    const shapes = async (...operations: WriteOperation[]) => (await write(...operations)).map(shape);
    const ids = async (body: JsonObject) => (await engine.search(NAME, parseSearch(body))).hits.map(({ id }) => id);

    it('answers a ping, and reports that it is up where it has health()', async () => {
      await engine.ping();
      expect((await engine.health?.()) ?? { state: 'up' }).toEqual({ state: 'up' });
    });

    describe('catalog', () => {
      it('creates, lists and deletes indexes', async () => {
        await engine.createIndex('b');
        await engine.createIndex('a');
        await engine.createIndex('%internal');
        expect(await engine.listIndexes()).toEqual(['%internal', 'a', 'b']);
        expect(await engine.hasIndex('a')).toBe(true);
        await expect(engine.createIndex('a')).rejects.toMatchObject({ id: 'storage.index_exists' });
        await engine.deleteIndex('a');
        expect(await engine.hasIndex('a')).toBe(false);
        await expect(engine.deleteIndex('a')).rejects.toMatchObject({
          id: 'storage.index_not_found',
        });
      });

      it('creates a collection with its index, once', async () => {
        expect(await engine.createCollection(NAME, DYNAMIC())).toBe(true);
        expect(await engine.createCollection(NAME, DYNAMIC())).toBe(false);
        const other = { index: NAME.index, collection: 'Another' };
        await engine.createCollection(other, DYNAMIC());
        expect(await engine.listCollections(NAME.index)).toEqual(['Another', 'things']);
        expect(await engine.hasCollection({ index: 'none', collection: 'x' })).toBe(false);
        await engine.deleteCollection(other);
        expect(await engine.listCollections(NAME.index)).toEqual(['things']);
        await expect(engine.deleteCollection(other)).rejects.toMatchObject({
          id: 'storage.collection_not_found',
        });
      });

      it('lets concurrent creations of one collection all succeed, one of them creating', async () => {
        const made = await Promise.all(Array.from({ length: 8 }, () => engine.createCollection(NAME, DYNAMIC())));
        expect(made.filter(Boolean)).toHaveLength(1);
      });

      it('forgets documents and settings with their index', async () => {
        await engine.createCollection(NAME, DYNAMIC());
        await engine.setIndexSettings(NAME.index, { autoRefresh: true });
        await write(put('a', { n: 1 }));
        await engine.deleteIndex(NAME.index);
        await engine.createCollection(NAME, DYNAMIC());
        expect(await engine.getIndexSettings(NAME.index)).toEqual({ autoRefresh: false });
        expect(await engine.read(NAME, 'a')).toBeNull();
        expect(await ids({})).toEqual([]);
      });

      it('keeps everything over a restart', async () => {
        await engine.createCollection(NAME, parseMapping({ properties: { tag: { type: 'keyword' } } }));
        await engine.setIndexSettings(NAME.index, { autoRefresh: true });
        await write(put('a', { tag: 'x', n: 1 }), put('b', { tag: 'y' }), put('a', { tag: 'z', n: 2 }));
        const mapping = await engine.getMapping(NAME);
        engine = await opened.reopen();
        expect(await engine.listIndexes()).toEqual([NAME.index]);
        expect(await engine.getIndexSettings(NAME.index)).toEqual({ autoRefresh: true });
        expect(await engine.getMapping(NAME)).toEqual(mapping);
        expect(await engine.read(NAME, 'a')).toEqual({
          id: 'a',
          version: 2,
          source: { tag: 'z', n: 2 },
          meta: NO_DOCUMENT_METADATA,
        });
        expect(await ids({ query: { term: { tag: 'z' } } })).toEqual(['a']);
      });
    });

    describe('metadata', () => {
      const DAY_MS = Date.UTC(2024, 0, 31, 12);
      const HOUR_MS = 3_600_000;
      const ANNA = { atMs: DAY_MS, userId: 'anna' };
      const BERT = { atMs: DAY_MS + HOUR_MS, userId: 'b:ert\u{1F600}' };
      const NOBODY = { atMs: DAY_MS + 2 * HOUR_MS, userId: null };
      const created = (stamp: WriteStamp) => stampMetadata(null, stamp);
      const metaOf = async (id: string) => (await engine.read(NAME, id))?.meta;
      const stamped = async (stamp: WriteStamp | undefined, ...operations: WriteOperation[]) =>
        (await engine.write(operations, true, stamp)).map((outcome) =>
          'meta' in outcome ? outcome.meta : outcome.status,
        );

      beforeEach(async () => {
        await engine.createCollection(NAME, DYNAMIC());
      });

      it('is made from the stamp of the write, and keeps its origin when the document is replaced', async () => {
        expect(await stamped(ANNA, put('a', { n: 1 }))).toEqual([created(ANNA)]);
        expect(await metaOf('a')).toEqual(created(ANNA));
        const changed = stampMetadata(created(ANNA), BERT);
        expect(await stamped(BERT, put('a', { n: 2 }), put('b', {}))).toEqual([changed, created(BERT)]);
        expect(await metaOf('a')).toEqual(changed);
        const again = stampMetadata(changed, NOBODY);
        expect(await stamped(NOBODY, put('a', { n: 3 }, 2), put('c', {}, 'absent'))).toEqual([again, created(NOBODY)]);
        engine = await opened.reopen();
        const [a, c, none] = await engine.readMany(NAME, ['a', 'c', 'none']);
        expect([a?.meta, c?.meta, none]).toEqual([again, created(NOBODY), null]);
        expect(a?.source).toEqual({ n: 3 });
      });

      it('begins again with a document that was deleted, also within one call', async () => {
        await stamped(ANNA, put('a', {}), put('a', { n: 2 }));
        expect(await metaOf('a')).toEqual(stampMetadata(created(ANNA), ANNA));
        expect(await stamped(BERT, remove('a'), put('a', {}))).toEqual(['deleted', created(BERT)]);
        expect(await metaOf('a')).toEqual(created(BERT));
      });

      it('stays as it is where a write has no stamp', async () => {
        expect(await stamped(undefined, put('a', { n: 1 }))).toEqual([NO_DOCUMENT_METADATA]);
        expect(await stamped(ANNA, put('a', { n: 2 }))).toEqual([
          { ...NO_DOCUMENT_METADATA, updatedAt: DAY_MS, updater: 'anna' },
        ]);
        await stamped(BERT, put('b', {}));
        expect(await stamped(undefined, put('b', { n: 2 }))).toEqual([created(BERT)]);
      });

      it('comes with hits, also without their source, and is no part of the content', async () => {
        await stamped(ANNA, put('a', { n: 1 }));
        await stamped(undefined, put('b', { n: 2 }));
        for (const more of [{}, { _source: false }, { _source: ['n'] }, { _source: { excludes: ['x'] } }]) {
          const { hits } = await engine.search(NAME, parseSearch({ sort: ['n'], ...more }));
          expect(hits.map(({ meta }) => meta)).toEqual([created(ANNA), NO_DOCUMENT_METADATA]);
          if (!('_source' in more)) expect(hits[0]?.source).toEqual({ n: 1 });
        }
        const cursor = await engine.openCursor(NAME, parseSearch({ size: 1, sort: ['n'] }));
        expect((await cursor.next()).hits[0]?.meta).toEqual(created(ANNA));
        await cursor.close();
        const text = JSON.stringify(toMappingBody(await engine.getMapping(NAME)));
        expect(text.includes('_meta')).toBe(false);
      });

      it('can be queried, sorted and aggregated by the exact names of its fields', async () => {
        await stamped(ANNA, put('a', { n: 1 }), put('b', { n: 2 }));
        await stamped(BERT, put('b', { n: 3 }), put('c', { n: 4 }));
        await stamped(NOBODY, put('d', { n: 5 }));
        await stamped(undefined, put('e', { n: 6 }));
        const found = (query: JsonObject) => ids({ query, sort: ['_id'] });
        expect(await found({ term: { '_meta.author': 'anna' } })).toEqual(['a', 'b']);
        expect(await found({ terms: { '_meta.updater': ['anna', BERT.userId] } })).toEqual(['b']);
        expect(await found({ prefix: { '_meta.author': 'b:' } })).toEqual(['c']);
        expect(await found({ exists: { field: '_meta.createdAt' } })).toEqual(['a', 'b', 'c', 'd']);
        expect(await found({ exists: { field: '_meta.updatedAt' } })).toEqual(['b']);
        const since = { gte: '2024-01-31T13:00:00Z' };
        expect(await found({ range: { '_meta.createdAt': since } })).toEqual(['c', 'd']);
        expect(await found({ range: { '_meta.createdAt': { lt: DAY_MS + HOUR_MS } } })).toEqual(['a', 'b']);
        expect(await found({ query_string: { query: '_meta.author:anna' } })).toEqual(['a', 'b']);
        const multi = { query: 'anna', fields: ['_meta.author', 'n'], lenient: true };
        expect(await found({ multi_match: multi })).toEqual(['a', 'b']);
        expect(await ids({ sort: [{ '_meta.createdAt': 'desc' }, '_id'] })).toEqual(['d', 'c', 'a', 'b', 'e']);
        const { aggregations } = await engine.search(
          NAME,
          parseSearch({
            size: 0,
            aggs: {
              authors: { terms: { field: '_meta.author' } },
              hours: { date_histogram: { field: '_meta.createdAt', fixed_interval: '1h' } },
              last: { max: { field: '_meta.updatedAt' } },
            },
          }),
        );
        expect(aggregations).toMatchObject({
          authors: {
            buckets: [
              { key: 'anna', doc_count: 2 },
              { key: BERT.userId, doc_count: 1 },
            ],
          },
          hours: { buckets: [{ key: DAY_MS, doc_count: 2 }, { doc_count: 1 }, { doc_count: 1 }] },
          last: { value: BERT.atMs },
        });
      });

      it('is not found by patterns and default fields', async () => {
        await stamped(ANNA, put('a', { name: 'bert', n: 1 }));
        const found = (query: JsonObject) => ids({ query });
        expect(await found({ query_string: { query: 'anna' } })).toEqual([]);
        expect(await found({ simple_query_string: { query: 'anna' } })).toEqual([]);
        expect(await found({ multi_match: { query: 'anna', fields: ['*'] } })).toEqual([]);
        expect(await found({ multi_match: { query: 'anna', fields: ['*author'] } })).toEqual([]);
        expect(await found({ exists: { field: '*author' } })).toEqual([]);
        expect(await found({ exists: { field: '*createdAt' } })).toEqual([]);
        const { hits } = await engine.search(
          NAME,
          parseSearch({
            query: { term: { '_meta.author': 'anna' } },
            highlight: { fields: { '*': {} } },
          }),
        );
        expect(hits.map(({ highlight }) => highlight)).toEqual([undefined]);
      });

      it('is not shown by top_hits and inner hits', async () => {
        const lines = { type: 'nested', properties: { n: { type: 'integer' } } };
        const orders = { ...NAME, collection: 'orders' };
        await engine.createCollection(orders, parseMapping({ properties: { lines } }));
        await engine.write(
          [{ ...orders, kind: 'put', id: 'a', source: { lines: [{ n: 1 }] }, condition: 'any' }],
          true,
          ANNA,
        );
        const nested = { path: 'lines', query: { term: { 'lines.n': 1 } }, inner_hits: {} };
        const outcome = await engine.search(
          orders,
          parseSearch({ query: { nested }, aggs: { top: { top_hits: { version: true } } } }),
        );
        expect(outcome.hits[0]?.meta).toEqual(created(ANNA));
        const inside = JSON.stringify([outcome.aggregations, outcome.hits[0]?.innerHits]);
        expect(inside.includes('meta')).toBe(false);
      });
    });

    it('SEARCH-20: ranks by the distance of a date or a point from an origin', async () => {
      const properties = { day: { type: 'date' }, at: { type: 'geo_point' } };
      await engine.createCollection(NAME, parseMapping({ properties }));
      await write(
        put('near', { day: '2024-01-02', at: { lat: 0, lon: 3 } }),
        put('far', { day: ['2023-01-01', '2024-03-01'], at: { lat: 0, lon: 1 } }),
        put('neither', {}),
      );
      const scored = async (distance_feature: JsonObject) => {
        const { hits } = await engine.search(NAME, parseSearch({ query: { distance_feature } }));
        return hits.map(({ id, score }) => [id, Math.round(1_000 * (score ?? 0))]);
      };
      expect(await scored({ field: 'day', origin: '2024-01-01', pivot: '1d', boost: 2 })).toEqual([
        ['near', 1_000],
        ['far', 33],
      ]);
      const degree = { field: 'at', origin: { lat: 0, lon: 0 }, pivot: '111195m' };
      expect(await scored(degree)).toEqual([
        ['far', 500],
        ['near', 250],
      ]);
    });

    describe('highlights and inner hits', () => {
      const source = {
        t: ['The quick brown fox', 'No match here', 'A foxy den'],
        k: 'fox',
        lines: [{ name: 'red bolt' }, { name: 'blue bolt' }, { name: 'red nut' }],
      };
      beforeEach(async () => {
        const properties = {
          t: { type: 'text' },
          k: { type: 'keyword' },
          lines: { type: 'nested', properties: { name: { type: 'text' } } },
        };
        await engine.createCollection(NAME, parseMapping({ properties }));
        await write(put('a', source));
      });
      const hit = async (query: JsonObject, highlight: JsonObject = { fields: { '*': {} } }) => {
        const { hits } = await engine.search(NAME, parseSearch({ query, highlight }));
        return hits[0];
      };

      it('mark the words that made the hit match, and no other values', async () => {
        const all = { match_all: {} };
        const fox = { t: ['The quick brown <em>fox</em>'] };
        const quick = { t: ['The <em>quick</em> brown fox'] };
        const t = (kind: string, value: JsonValue) => ({ [kind]: { t: value } });
        const should = (...clauses: JsonObject[]) => ({ bool: { should: clauses } });
        const expected: readonly (readonly [JsonObject, JsonObject | undefined])[] = [
          [t('match', 'fox'), fox],
          [t('term', 'fox'), fox],
          [t('terms', ['fox']), fox],
          [t('prefix', 'qu'), quick],
          [t('wildcard', 'q*k'), quick],
          [t('regexp', 'qu.+'), quick],
          [t('fuzzy', 'quikc'), quick],
          [{ bool: { filter: [t('match', 'fox')], must_not: [t('match', 'cat')] } }, fox],
          [{ dis_max: { queries: [t('match', 'fox'), t('match', 'cat')] } }, fox],
          [{ query_string: { query: 't:fox OR t:cat' } }, fox],
          [{ multi_match: { query: 'quick', fields: ['t', 'k'] } }, quick],
          [{ term: { k: 'fox' } }, { k: ['<em>fox</em>'] }],
          [all, undefined],
          [should(all, t('match_phrase', 'fox quick')), undefined],
          [should(all, t('match', { query: 'fox cat', operator: 'and' })), undefined],
          [should(all, { bool: { must: [t('match', 'fox'), t('match', 'cat')] } }), undefined],
        ];
        for (const [query, highlight] of expected)
          expect([query, (await hit(query))?.highlight]).toEqual([query, highlight]);
      });

      it('mark words of any field without require_field_match', async () => {
        const highlight = { require_field_match: false, fields: { t: {} } };
        const found = await hit({ term: { k: 'fox' } }, highlight);
        expect(found?.highlight).toEqual({ t: ['The quick brown <em>fox</em>'] });
      });

      it('count all objects that match, also for a page after the last one', async () => {
        const query = { term: { 'lines.name': 'red' } };
        const highlight = { fields: { 'lines.name': {} } };
        const page = async (inner: JsonObject) => {
          const nested = { path: 'lines', query, inner_hits: { ...inner, highlight } };
          return (await hit({ nested }))?.innerHits?.['lines'];
        };
        const [first, second] = ['<em>red</em> bolt', '<em>red</em> nut'].map((name) => ({
          highlight: { 'lines.name': [name] },
        }));
        expect(await page({ sort: ['_doc'] })).toMatchObject({ total: 2, hits: [first, second] });
        expect(await page({ from: 1, size: 1 })).toMatchObject({ total: 2, hits: [second] });
        for (const none of [{ from: 2 }, { size: 0 }, { from: 2, sort: ['_doc'] }])
          expect(await page(none)).toMatchObject({ total: 2, hits: [] });
      });
    });

    describe('documents', () => {
      beforeEach(async () => {
        await engine.createCollection(NAME, DYNAMIC());
      });

      it('applies the conditions of puts', async () => {
        expect(
          await shapes(
            put('a', { n: 1 }, 'present'),
            put('a', { n: 1 }, 'absent'),
            put('a', { n: 2 }, 'absent'),
            put('a', { n: 3 }, 'any'),
            put('a', { n: 4 }, 7),
            put('a', { n: 5 }, 2),
            put('a', { n: 6 }, 'present'),
            put('b', { n: 0 }, 3),
          ),
        ).toEqual([
          'document.not_found',
          'created 1',
          'document.already_exists',
          'replaced 2',
          'document.version_conflict',
          'replaced 3',
          'replaced 4',
          'document.not_found',
        ]);
        expect(await engine.read(NAME, 'a')).toMatchObject({
          id: 'a',
          version: 4,
          source: { n: 6 },
        });
      });

      it('applies the conditions of deletes', async () => {
        await write(put('a', {}), put('b', {}));
        expect(await shapes(remove('a', 2), remove('a', 1), remove('a'), remove('b'))).toEqual([
          'document.version_conflict',
          'deleted 1',
          'document.not_found',
          'deleted 1',
        ]);
        expect(await shapes(put('a', { again: true }, 'absent'))).toEqual(['created 1']);
      });

      it('has one winner among concurrent writes with one condition', async () => {
        const creates = await Promise.all(Array.from({ length: 20 }, (_, n) => shapes(put('a', { n }, 'absent'))));
        expect(creates.flat().filter((each) => each === 'created 1')).toHaveLength(1);
        const replaces = await Promise.all(Array.from({ length: 20 }, (_, n) => shapes(put('a', { n }, 1))));
        expect(replaces.flat().filter((each) => each === 'replaced 2')).toHaveLength(1);
      });

      it('counts every change in the version', async () => {
        await Promise.all(Array.from({ length: 50 }, (_, n) => write(put('a', { n }))));
        expect(await engine.read(NAME, 'a')).toMatchObject({ version: 50 });
      });

      it('gives content back as it was stored', async () => {
        const source = JSON.parse(
          '{"__proto__":{"x":1},"text":"Zoë 漢字 😀 \\u0000 \\ud800","n":[0,-0.5,1e21,9007199254740991],"deep":{"a":[[1],[]]},"nothing":null}',
        ) as object;
        await engine.updateMapping(NAME, parseMapping({ properties: { n: { type: 'double' } } }));
        expect(await shapes(put('a', source))).toEqual(['created 1']);
        expect(JSON.stringify((await engine.read(NAME, 'a'))?.source)).toBe(JSON.stringify(source));
        if (engine.readText === undefined) return;
        const json = JSON.stringify(source);
        expect(await engine.readText(NAME, 'a')).toMatchObject({
          id: 'a',
          version: 1,
          json,
        });
        expect(await engine.readText(NAME, 'none')).toBeNull();
        expect(await engine.readText({ ...NAME, collection: 'none' }, 'a')).toBeNull();
      });

      it('tells apart ids that look alike', async () => {
        const similar = ['a', 'A', 'a ', '\u00e9', 'e\u0301', '1', '01', "a'b", 'a"b', 'a/b', '%61', '..'];
        await write(...similar.map((id, n) => put(id, { n })));
        const found = await engine.readMany(NAME, [...similar, 'none']);
        expect(found.map((each) => each?.source.n ?? null)).toEqual([...similar.keys(), null]);
      });

      it('fails a write of an absent collection, and no other', async () => {
        const elsewhere = { ...put('a', {}), collection: 'none' } as WriteOperation;
        expect(await shapes(elsewhere, put('a', {}))).toEqual(['storage.collection_not_found', 'created 1']);
        expect(await engine.read({ ...NAME, collection: 'none' }, 'a')).toBeNull();
      });

      it('truncates: documents go, the mapping stays', async () => {
        await write(put('a', { tag: 'x' }), put('b', { tag: 'y' }));
        const mapping = await engine.getMapping(NAME);
        expect(await ids({})).toHaveLength(2);
        await engine.truncate(NAME);
        expect(await engine.read(NAME, 'a')).toBeNull();
        expect(await ids({})).toEqual([]);
        expect(await engine.getMapping(NAME)).toEqual(mapping);
        expect(await shapes(put('a', { tag: 'z' }, 'absent'))).toEqual(['created 1']);
        expect(await ids({ query: { match: { tag: 'z' } } })).toEqual(['a']);
      });
    });

    describe('mapping', () => {
      beforeEach(async () => {
        await engine.createCollection(
          NAME,
          parseMapping({ properties: { n: { type: 'integer' }, tag: { type: 'keyword' } } }),
        );
      });

      it('refuses a value that does not fit, as that write alone, and stores nothing of it', async () => {
        expect(await shapes(put('a', { n: 'seven' }), put('b', { n: 7 }))).toEqual([
          'document.invalid_value',
          'created 1',
        ]);
        expect(await engine.read(NAME, 'a')).toBeNull();
        expect(await ids({})).toEqual(['b']);
      });

      it('learns fields from documents, before the next document of the same call', async () => {
        expect(await shapes(put('a', { fresh: 1 }), put('b', { fresh: 'text' }), put('c', { fresh: 2 }))).toEqual([
          'created 1',
          'document.invalid_value',
          'created 1',
        ]);
        expect(await ids({ query: { range: { fresh: { gte: 2 } } } })).toEqual(['c']);
      });

      it('merges an update of the mapping or refuses it whole', async () => {
        await engine.updateMapping(NAME, parseMapping({ properties: { day: { type: 'date' } } }));
        const before = await engine.getMapping(NAME);
        await expect(
          engine.updateMapping(
            NAME,
            parseMapping({ properties: { other: { type: 'long' }, tag: { type: 'integer' } } }),
          ),
        ).rejects.toMatchObject({ id: 'storage.invalid_mapping' });
        expect(await engine.getMapping(NAME)).toEqual(before);
      });
    });

    describe('analyzers', () => {
      const analysis = {
        filter: {
          beginnings: { type: 'edge_ngram', min_gram: 2, max_gram: 10 },
          trigrams: { type: 'ngram', min_gram: 3, max_gram: 3 },
          my_stop: { type: 'stop', stopwords: ['very'] },
        },
        analyzer: {
          typing: { tokenizer: 'standard', filter: ['lowercase', 'asciifolding', 'beginnings'] },
          parts: { type: 'custom', tokenizer: 'standard', filter: ['lowercase', 'trigrams'] },
          folded: { tokenizer: 'standard', filter: ['lowercase', 'my_stop', 'asciifolding'] },
        },
      };
      const mapping = () =>
        parseMapping({
          settings: { analysis },
          properties: {
            fr: { type: 'text', analyzer: 'french' },
            de: { type: 'text', analyzer: 'german' },
            name: { type: 'text', analyzer: 'typing', search_analyzer: 'folded' },
            part: { type: 'text', analyzer: 'parts' },
            plain: { type: 'text' },
          },
        });
      const found = (query: JsonObject) => ids({ query, sort: ['_id'] });
      const match = (field: string, query: string, options: JsonObject = {}) =>
        found({ match: { [field]: { query, ...options } } });

      beforeEach(async () => {
        await engine.createCollection(NAME, mapping());
        await write(
          put('a', { fr: "L'arrivée des chevaux", de: 'Die schönen Häuser', name: 'Crème Brûlée' }),
          put('b', { fr: 'un cheval', de: 'ein Haus', name: 'Very creamy cheese' }),
          put('c', { part: 'search engine', plain: 'Crème very good' }),
          put('d', { part: 'a research engineer', plain: 'creme' }),
        );
      });

      it('find the words of a language in all their forms', async () => {
        expect(await match('fr', 'cheval')).toEqual(['a', 'b']);
        expect(await match('fr', "l'arrivee")).toEqual(['a']);
        expect(await match('fr', 'des')).toEqual([]);
        expect(await match('de', 'Haeuser')).toEqual(['a', 'b']);
        expect(await found({ query_string: { query: 'fr:chevaux AND de:haus' } })).toEqual(
          await match('fr', 'chevaux'),
        );
      });

      it('find words by their beginnings', async () => {
        expect(await match('name', 'cre')).toEqual(['a', 'b']);
        expect(await match('name', 'crème br', { operator: 'and' })).toEqual(['a']);
        expect(await match('name', 'very crea', { operator: 'and' })).toEqual(['b']);
        expect(await found({ match_phrase: { name: 'creamy che' } })).toEqual(['b']);
        expect(await found({ match_phrase: { name: 'cheese crea' } })).toEqual([]);
      });

      it('take n-grams of one word for choices', async () => {
        expect(await match('part', 'research', { operator: 'and' })).toEqual(['c', 'd']);
        expect(await match('part', 'xyz research', { operator: 'and' })).toEqual([]);
        expect(await match('part', 'engineer', { operator: 'and' })).toEqual(['c', 'd']);
        expect(await found({ match_phrase: { part: 'research engine' } })).toEqual(await match('part', 'research'));
      });

      it('can be named by a query', async () => {
        expect(await match('plain', 'CRÈME')).toEqual(['c']);
        expect(await match('plain', 'CRÈME', { analyzer: 'folded' })).toEqual(['d']);
        await expect(match('plain', 'x', { analyzer: 'none' })).rejects.toMatchObject({
          id: 'query.invalid',
        });
      });

      it('mark what they find', async () => {
        const body = { query: { match: { fr: 'cheval' } }, highlight: { fields: { fr: {} } } };
        const { hits } = await engine.search(NAME, parseSearch({ ...body, sort: ['_id'] }));
        expect(hits.map(({ highlight }) => highlight)).toEqual([
          { fr: ["L'arrivée des <em>chevaux</em>"] },
          { fr: ['un <em>cheval</em>'] },
        ]);
      });

      it('come back with the mapping, also after a truncate and from another start', async () => {
        const body = toMappingBody(mapping());
        expect(toMappingBody(await engine.getMapping(NAME))).toEqual(body);
        await engine.truncate(NAME);
        expect(toMappingBody(await engine.getMapping(NAME))).toEqual(body);
        engine = await opened.reopen();
        await write(put('x', { fr: 'chevaux' }));
        expect(await match('fr', 'cheval')).toEqual(['x']);
      });

      it('can be added with fields that use them, and not be changed', async () => {
        const update = {
          settings: { analysis: { analyzer: { words: { tokenizer: 'whitespace' } } } },
          properties: { words: { type: 'text', analyzer: 'words' } },
        };
        await engine.updateMapping(NAME, parseMapping(update));
        await write(put('e', { words: 'Wi-Fi 5G', fr: 'cheval' }));
        expect(await match('words', 'Wi-Fi')).toEqual(['e']);
        expect(await match('words', 'wi-fi')).toEqual([]);
        expect(await match('fr', 'chevaux')).toEqual(['a', 'b', 'e']);
        const before = toMappingBody(await engine.getMapping(NAME));
        const refused = [
          { settings: { analysis: { analyzer: { words: { tokenizer: 'letter' } } } } },
          { settings: { analysis: { analyzer: { other: { tokenizer: 'nonsense' } } } } },
          { properties: { more: { type: 'text', analyzer: 'nonsense' } } },
          { properties: { fr: { type: 'text', analyzer: 'words' } } },
        ];
        for (const each of refused) {
          await expect(engine.updateMapping(NAME, parseMapping(each))).rejects.toMatchObject({
            id: 'storage.invalid_mapping',
          });
        }
        expect(toMappingBody(await engine.getMapping(NAME))).toEqual(before);
        await engine.updateMapping(NAME, parseMapping(update));
      });
    });

    describe('search', () => {
      beforeEach(async () => {
        await engine.createCollection(
          NAME,
          parseMapping({ properties: { tag: { type: 'keyword' }, n: { type: 'integer' } } }),
        );
        const operations = Array.from({ length: 25 }, (_, n) =>
          put(`d${String(n).padStart(2, '0')}`, { n, tag: n % 2 ? 'odd' : 'even' }),
        );
        await write(...operations);
      });

      it('sees a refreshed write, its change and its removal', async () => {
        await write(put('x', { n: 100, tag: 'new' }));
        expect(await ids({ query: { term: { tag: 'new' } } })).toEqual(['x']);
        await write(put('x', { n: 101, tag: 'newer' }));
        expect(await ids({ query: { term: { tag: 'new' } } })).toEqual([]);
        expect(await ids({ query: { term: { tag: 'newer' } } })).toEqual(['x']);
        await write(remove('x'));
        expect(await ids({ query: { term: { tag: 'newer' } } })).toEqual([]);
      });

      it('gives hits, totals and aggregations', async () => {
        const body = {
          query: { term: { tag: 'even' } },
          sort: [{ n: 'desc' }],
          size: 2,
          aggs: { top: { max: { field: 'n' } } },
        };
        const outcome = await engine.search(NAME, parseSearch(body));
        expect(outcome).toMatchObject({
          total: 13,
          timedOut: false,
          aggregations: { top: { value: 24 } },
        });
        expect(outcome.hits).toMatchObject([
          { id: 'd24', version: 1, source: { n: 24, tag: 'even' }, sort: [24], score: null },
          { id: 'd22' },
        ]);
        expect(await engine.count(NAME, parseSearch(body).query)).toBe(13);
      });

      it('cuts long values of hits, whatever else is selected (SEARCH-6)', async () => {
        await write(put('long', { n: 100, tag: 'new', text: 'x'.repeat(10_000), list: [1, 2, 3, 4, 5] }));
        const sourceOf = async (_source: JsonObject) => {
          const request = parseSearch({ query: { term: { tag: 'new' } }, _source });
          const cursor = await engine.openCursor(NAME, request);
          const page = await cursor.next();
          await cursor.close();
          const { hits } = await engine.search(NAME, request);
          expect(page.hits[0]?.source).toEqual(hits[0]?.source);
          return hits[0]?.source;
        };
        const cut = { text: 'xxx…', list: [1, 2, 3, 4] };
        expect(await sourceOf({ maxLength: 3 })).toEqual({ n: 100, tag: 'new', ...cut });
        expect(await sourceOf({ includes: ['text', 'list'], maxLength: 3 })).toEqual(cut);
        expect(await sourceOf({ excludes: ['n', 'tag'], maxLength: 3 })).toEqual(cut);
      });

      it('finds points in polygons, whose edges go the short way round whichever way they turn', async () => {
        const places = { index: NAME.index, collection: 'places' };
        await engine.createCollection(places, parseMapping({ properties: { at: { type: 'geo_point' } } }));
        const at = { fiji: [178, -18], samoa: [-172, -14], nauru: [167, -1], greenwich: [0, 51] };
        await write(
          ...Object.entries(at).map(([id, point]) => ({
            ...put(id, { at: point }),
            collection: places.collection,
          })),
        );
        const inside = async (points: number[][]) => {
          const query = { geo_polygon: { at: { points } } };
          const found = await engine.search(places, parseSearch({ query, sort: ['_id'] }));
          return found.hits.map(({ id }) => id);
        };
        const box = (west: number, east: number) => [
          [west, -20],
          [east, -20],
          [east, 60],
          [west, 60],
        ];
        for (const [points, expected] of [
          [box(175, -170), ['fiji', 'samoa']],
          [[...box(160, 180), [-180, 20]], ['fiji']],
          [box(-10, 10), ['greenwich']],
        ] as [number[][], string[]][]) {
          expect(await inside(points)).toEqual(expected);
          expect(await inside(points.toReversed())).toEqual(expected);
        }
        const wide = [
          [-175, -20],
          [0, -20],
          [170, -20],
          [170, 60],
          [0, 60],
          [-175, 60],
        ];
        expect(await inside(wide)).toEqual(['greenwich', 'nauru', 'samoa']);
        expect(await inside(wide.toReversed())).toEqual(['greenwich', 'nauru', 'samoa']);
      });

      it('pages through a frozen view', async () => {
        const cursor = await engine.openCursor(NAME, parseSearch({ sort: ['n'], size: 10 }));
        const first = await cursor.next();
        await write(remove('d24'), put('d15', { n: -1, tag: 'odd' }), put('late', { n: 12, tag: 'even' }));
        const rest = [await cursor.next(), await cursor.next(), await cursor.next()];
        expect([first, ...rest].map(({ hits }) => hits.length)).toEqual([10, 10, 5, 0]);
        const sources = [first, ...rest].flatMap(({ hits }) => hits.map(({ source }) => source?.n));
        expect(sources).toEqual(Array.from({ length: 25 }, (_, n) => n));
        expect(rest.map(({ total }) => total)).toEqual([25, 25, 25]);
        await cursor.close();
      });

      it('ends a cursor when its collection goes', async () => {
        const cursor = await engine.openCursor(NAME, parseSearch({ size: 10 }));
        await cursor.next();
        await engine.deleteCollection(NAME);
        await expect(cursor.next()).rejects.toMatchObject({ id: 'query.scroll_not_found' });
      });

      it('scans every match with its version', async () => {
        await write(put('d01', { n: 1, tag: 'odd' }));
        const found = new Map<string, number>();
        for await (const batch of engine.scan(NAME, parseSearch({ query: { term: { tag: 'odd' } } }).query)) {
          for (const { id, version } of batch) found.set(id, version);
        }
        expect(found.size).toBe(12);
        expect(found.get('d01')).toBe(2);
        expect(found.get('d03')).toBe(1);
      });

      it('cancels searches whose caller has left, and no other', async () => {
        const caller = new AbortController();
        const request = parseSearch({ sort: ['n'], size: 10 });
        const cursor = await engine.openCursor(NAME, request);
        caller.abort();
        const options = { signal: caller.signal };
        const scan = engine.scan(NAME, request.query, options)[Symbol.asyncIterator]();
        const cancelled = [
          engine.search(NAME, request, options),
          engine.count(NAME, parseSearch({ query: { match: { tag: 'odd' } } }).query, options),
          cursor.next(options),
          scan.next(),
        ];
        for (const search of cancelled) {
          await expect(search).rejects.toMatchObject({ id: 'query.cancelled' });
        }
        expect((await cursor.next()).hits.length).toBe(10);
        expect((await engine.search(NAME, request)).total).toBe(25);
        await cursor.close();
      });

      it('gives the source of a hit as an object, or as text where that is preferred', async () => {
        const request = parseSearch({ query: { term: { n: 3 } } });
        const [hit] = (await engine.search(NAME, request, { prefersText: true })).hits;
        const source = hit?.source ?? (JSON.parse(String(hit?.sourceText)) as JsonObject);
        expect(source.n).toBe(3);
      });

      it('reads no more bytes of documents than are asked for', async () => {
        const ids = ['d01', 'd02', 'd03'];
        const few = engine.readMany(NAME, ids, { maxBytes: 10 });
        await expect(Promise.resolve(few)).rejects.toMatchObject({
          id: 'query.result_too_large',
        });
        const found = await engine.readMany(NAME, ids, { maxBytes: 100_000 });
        expect(found.map((each) => each?.source.n)).toEqual([1, 2, 3]);
      });

      it('refuses what does not fit the mapping', async () => {
        const search = (body: JsonObject) => Promise.resolve().then(() => engine.search(NAME, parseSearch(body)));
        await expect(search({ query: { range: { n: { gte: 'many' } } } })).rejects.toMatchObject({
          id: 'query.invalid',
        });
        await expect(search({ sort: ['nowhere'] })).rejects.toMatchObject({ id: 'query.invalid' });
      });
    });
  });
}
