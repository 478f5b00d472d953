import type { JsonObject, JsonValue } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { callOn, listIn } from './callOn.js';
import { PROTOCOLS, useServer, type TestedEngine } from './TestServer.js';

export function describeDocuments(engine: TestedEngine): void {
  describe('documents', () => {
    const server = useServer(engine);

    describe.each(PROTOCOLS)('over %s', (protocol) => {
      const { outcome, result } = callOn((fields) => server().call(protocol, fields));
      const place = () => ({ index: server().newIndex(), collection: 'books' });
      const BODY = { body: {} };

      it.each<[string, JsonObject]>([
        ['document.create', BODY],
        ['document.createOrReplace', { _id: 'a', ...BODY }],
        ['bulk.import', { body: { bulkData: [{ index: {} }, {}] } }],
        ['collection.updateMapping', { body: { properties: { n: { type: 'integer' } } } }],
      ])('%s creates index and collection when absent', async (name, fields) => {
        const at = place();
        await result(name, { ...at, ...fields });
        expect(await result('collection.list', { index: at.index, type: 'stored' })).toMatchObject({
          collections: [{ name: 'books' }],
        });
      });

      it.each(['document.replace', 'document.update', 'document.delete', 'document.get'])(
        '%s of an absent document is a 404 and creates nothing',
        async (name) => {
          const at = place();
          const fields = { ...at, _id: 'a', ...(/delete|get/.test(name) ? {} : BODY) };
          expect(await outcome(name, fields)).toMatch(/^404 /);
          expect((await server().http('GET', `/${at.index}/_exists`)).body.result).toBe(false);
        },
      );

      it('_version starts at 1 and grows by 1 for each change; what changes nothing writes nothing (DOC-11)', async () => {
        const at = { ...place(), _id: 'a' };
        const versions: JsonValue[] = [];
        const write = async (name: string, body: JsonObject) => {
          versions.push((await result(name, { ...at, body }))._version ?? null);
        };
        await write('document.create', { n: 1 });
        await write('document.createOrReplace', { n: 2 });
        await write('document.replace', { n: 3, o: { p: 1 } });
        await write('document.update', { o: { q: 2 } });
        await write('document.update', { n: 3, o: { q: 2 } });
        await write('document.upsert', { doc: { n: 4 } });
        await result('document.delete', at);
        await write('document.create', { n: 1 });
        expect(versions).toEqual([1, 2, 3, 4, 4, 5, 1]);
      });

      it('update merges objects and replaces lists and scalars; null stores null (DOC-13)', async () => {
        const at = { ...place(), _id: 'a' };
        const first = { o: { p: 1, q: [1, 2] }, n: 1, l: [1] };
        await result('document.create', { ...at, body: first });
        const body = { o: { q: [3], r: { s: 1 } }, n: null };
        const source = { o: { p: 1, q: [3], r: { s: 1 } }, n: null, l: [1] };
        const updated = await result('document.update', { ...at, body });
        expect(updated).toMatchObject({ _id: 'a', _version: 2 });
        expect(updated._source).toEqual(source);
        expect((await result('document.get', at))._source).toEqual(source);
      });

      it.each(['document.replace', 'document.update', 'document.delete'])(
        '%s with another ifVersion is a 409, and changes nothing',
        async (name) => {
          const at = { ...place(), _id: 'a' };
          await result('document.create', { ...at, body: { n: 1 } });
          const body = name === 'document.delete' ? {} : { body: { n: 2 } };
          expect(await outcome(name, { ...at, ...body, ifVersion: 2 })).toBe('409 document.version_conflict');
          expect(await result('document.get', at)).toMatchObject({ _version: 1, _source: { n: 1 } });
          expect(await outcome(name, { ...at, ...body, ifVersion: 1 })).toBe('200');
        },
      );

      it('create of a document that exists is a 409; createOrReplace says what it did', async () => {
        const at = { ...place(), _id: 'a', ...BODY };
        await result('document.create', at);
        expect(await outcome('document.create', at)).toBe('409 document.already_exists');
        expect(await result('document.createOrReplace', at)).toMatchObject({ created: false });
        expect(await result('document.createOrReplace', { ...at, _id: 'b' })).toMatchObject({ created: true });
      });

      it('_id in the body names the document where no other _id does, and is no part of it (DOC-14, PROTO-5)', async () => {
        const at = place();
        const created = await result('document.create', { ...at, body: { _id: 'a', n: 1 } });
        expect(created).toMatchObject({ _id: 'a', _source: { n: 1 } });
        expect(created._source).not.toHaveProperty('_id');
        const generated = await result('document.create', { ...at, body: { _id: null } });
        expect(generated._id).toMatch(/^[\w-]{20}$/);
        expect(await outcome('document.create', { ...at, body: { _id: '' } })).toMatch(/^400 /);
      });

      it.each(['_meta', '_version', '_x'])('the key %s in a body is a 400', async (key) => {
        const at = { ...place(), _id: 'a' };
        const body = { [key]: 1 };
        for (const name of ['document.create', 'document.createOrReplace', 'document.replace', 'document.update']) {
          expect(await outcome(name, { ...at, body })).toBe('400 document.reserved_key');
        } // prettier-ignore
        expect(await outcome('document.upsert', { ...at, body: { doc: body } })).toBe('400 document.reserved_key');
        expect((await server().http('GET', `/${at.index}/_exists`)).body.result).toBe(false);
      });

      it.each([
        'document.create',
        'document.createOrReplace',
        'document.replace',
        'document.update',
        'document.validate',
        'realtime.publish',
        'collection.updateMapping',
      ])('%s without a body is a 400 that names it', async (name) => {
        const at = { ...place(), _id: 'a' };
        for (const body of [undefined, null]) {
          const fields = { ...at, ...(body === undefined ? {} : { body }) };
          expect(await outcome(name, fields)).toBe('400 api.missing_argument');
        }
        expect((await server().http('GET', `/${at.index}/_exists`)).body.result).toBe(false);
      });

      it('mappings without properties, or with null, are a 400 that names them (SEARCH-40)', async () => {
        const at = place();
        for (const body of [{}, { properties: null }]) {
          for (const [name, fields] of [
            ['collection.updateMapping', at],
            ['security.updateUserMapping', {}],
          ] as const)
            // prettier-ignore
            expect(await outcome(name, { ...fields, body })).toBe('400 api.missing_argument');
        }
        expect((await server().http('GET', `/${at.index}/_exists`)).body.result).toBe(false);
      });

      it('search gives from and size as asked, ten hits by default, no score where sorted (SEARCH-10, SEARCH-11)', async () => {
        const at = place();
        const bulkData = Array.from({ length: 12 }, (_, n) => [{ index: {} }, { n }]).flat();
        await result('bulk.import', { ...at, refresh: 'wait_for', body: { bulkData } });
        const first = await result('document.search', { ...at, body: {} });
        expect(listIn(first, 'hits')).toHaveLength(10);
        expect(first).not.toHaveProperty('from');
        const sorted = { ...at, from: 10, size: 5, body: { sort: ['n'] } };
        const page = await result('document.search', sorted);
        expect(page).toMatchObject({ from: 10, size: 5, total: 12, hits: [{ _score: null }, { _score: null }] });
        const { status, error } = await server().call(protocol, {
          controller: 'document',
          action: 'search',
          ...sorted,
          from: 9_999,
        });
        expect(status).toBe(400);
        expect(error?.message).toContain('scroll');
      });

      it('a superseded or unknown scroll is a 404', async () => {
        const at = place();
        const bulkData = Array.from({ length: 5 }, (_, n) => [{ index: {} }, { n }]).flat();
        await result('bulk.import', { ...at, refresh: 'wait_for', body: { bulkData } });
        const opened = await result('document.search', { ...at, scroll: '1m', size: 2, body: {} });
        const scroll = { scroll: '1m', scrollId: opened._scroll_id ?? null };
        const next = await result('document.scroll', scroll);
        expect(listIn(next, 'hits')).toHaveLength(2);
        if (next._scroll_id !== opened._scroll_id) expect(await outcome('document.scroll', scroll)).toMatch(/^404 /);
        expect(await outcome('document.scroll', { ...scroll, scrollId: 'unknown' })).toMatch(/^404 /);
      });

      it('deleteByQuery needs a query, removes every match and lists it twice', async () => {
        const at = place();
        const bulkData = Array.from({ length: 25 }, (_, n) => [{ index: { _id: `d${n}` } }, { n }]).flat();
        await result('bulk.import', { ...at, refresh: 'wait_for', body: { bulkData } });
        for (const body of [{}, { query: {} }]) {
          expect(await outcome('document.deleteByQuery', { ...at, body })).toMatch(/^400 /);
        }
        const body = { query: { range: { n: { gte: 5 } } } };
        const deleted = await result('document.deleteByQuery', {
          ...at,
          refresh: 'wait_for',
          body,
        });
        expect(deleted.hits).toHaveLength(20);
        expect(deleted.ids).toEqual(deleted.hits);
        expect(await result('document.count', { ...at, body: {} })).toEqual({ count: 5 });
      });

      it('keys named as of a prototype are plain data (PROTO-7)', async () => {
        const at = { ...place(), _id: 'a' };
        const body = JSON.parse('{"constructor": 2, "o": {"__proto__": {"a": 1}, "prototype": 3}}') as JsonObject;
        await result('document.create', { ...at, body });
        const { _source: source } = await result('document.get', at);
        expect(JSON.stringify(source)).toBe(JSON.stringify(body));
      });

      it('autoRefresh is false by default, and goes with its index', async () => {
        const { index } = place();
        const read = async () =>
          (await server().call(protocol, { controller: 'index', action: 'getAutoRefresh', index })).result;
        await result('index.create', { index });
        expect(await read()).toBe(false);
        const set = { controller: 'index', action: 'setAutoRefresh', index, body: { autoRefresh: true } };
        expect((await server().call(protocol, set)).result).toBe(true);
        expect(await read()).toBe(true);
        await result('document.create', { index, collection: 'books', body: {} });
        expect(await result('document.count', { index, collection: 'books', body: {} })).toEqual({ count: 1 });
        await result('index.delete', { index });
        await result('index.create', { index });
        expect(await read()).toBe(false);
      });
    });
  });
}
