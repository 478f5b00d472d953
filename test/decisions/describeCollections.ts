import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { callOn } from './callOn.js';
import { PROTOCOLS, useServer, type TestedEngine } from './TestServer.js';

export function describeCollections(engine: TestedEngine): void {
  describe('collections and indexes', () => {
    const server = useServer(engine);

    describe.each(PROTOCOLS)('over %s', (protocol) => {
      const { outcome, response: call, result } = callOn((fields) => server().call(protocol, fields));

      it('list: realtime has every collection with subscriptions, all has both entries', async () => {
        const index = server().newIndex();
        for (const collection of ['alpha', 'gamma', 'Zeta']) await result('collection.create', { index, collection });
        const client = await server().connect();
        for (const collection of ['gamma', 'beta']) {
          const subscribed = { controller: 'realtime', action: 'subscribe', index, collection };
          expect(await client.request({ ...subscribed, body: {} })).toMatchObject({ status: 200 });
        }
        const expected = {
          all: ['stored Zeta', 'stored alpha', 'realtime beta', 'realtime gamma', 'stored gamma'],
          realtime: ['realtime beta', 'realtime gamma'],
          stored: ['stored Zeta', 'stored alpha', 'stored gamma'],
        };
        for (const [type, names] of Object.entries(expected)) {
          const { collections } = await result('collection.list', { index, type });
          const shown = (collections as { type: string; name: string }[]).map(
            ({ type: kind, name }) => `${kind} ${name}`,
          );
          expect(shown).toEqual(names);
        }
        expect(await outcome('collection.list', { index, type: 'every' })).toBe('400 api.invalid_argument');
        expect((await call('collection.exists', { index, collection: 'beta' })).result).toBe(false);
      });

      it('an absent collection of an existing index is empty for count, search, deletion, update and truncate (DOC-20)', async () => {
        const index = server().newIndex();
        await result('index.create', { index });
        const query = { query: { match_all: {} } };
        const answers: readonly [string, JsonObject | null, JsonObject][] = [
          ['document.count', {}, { count: 0 }],
          ['document.search', {}, { total: 0, hits: [] }],
          ['document.deleteByQuery', query, { hits: [], ids: [] }],
          ['document.updateByQuery', { ...query, doc: {} }, { hits: [], errors: [] }],
          ['collection.truncate', null, { acknowledged: true }],
        ];
        for (const [name, body, expected] of answers) {
          const fields = { collection: 'none', body };
          expect(await result(name, { index, ...fields })).toMatchObject(expected);
          expect(await outcome(name, { index: server().newIndex(), ...fields })).toMatch(/^404 /);
        }
        expect((await call('collection.exists', { index, collection: 'none' })).result).toBe(false);
        expect(await outcome('collection.getMapping', { index, collection: 'none' })).toMatch(/^404 /);
        expect(await outcome('document.get', { index, collection: 'none', _id: 'a' })).toMatch(/^404 /);
        expect(await outcome('collection.delete', { index, collection: 'none' })).toMatch(/^404 /);
      });

      it('specifications and autoRefresh survive truncate and go with their collection', async () => {
        const index = server().newIndex();
        const at = { index, collection: 'books' };
        const validation = { strict: false, fields: { n: { type: 'integer' } } };
        await result('collection.create', at);
        await result('collection.updateSpecifications', { body: { [index]: { books: validation } } });
        const pair = { ...at, validation };
        const find = async () => {
          const body = { query: { term: { index } } };
          return result('collection.searchSpecifications', { from: 0, size: 1, body });
        };
        const found = {
          hits: [{ _id: `${index}#books`, _source: pair, ...pair }],
          total: 1,
          from: 0,
          size: 1,
        };
        expect(await find()).toEqual(found);
        await result('collection.truncate', at);
        expect(await find()).toEqual(found);
        expect(await result('collection.delete', at)).toEqual({ acknowledged: true });
        expect(await find()).toMatchObject({ hits: [], total: 0 });
        await result('collection.create', at);
        expect(await outcome('document.create', { ...at, body: { n: 'text' } })).toBe('200');
      });

      it('index.create refuses an existing index, index.delete an absent one; index.list gives the names twice', async () => {
        const index = server().newIndex();
        await result('index.create', { index });
        expect(await outcome('index.create', { index })).toMatch(/^409 /);
        const { hits, indexes } = await result('index.list', {});
        expect(hits).toContain(index);
        expect(indexes).toEqual(hits);
        expect(JSON.stringify(hits)).not.toContain('%');
        await result('index.delete', { index });
        expect(await outcome('index.delete', { index })).toMatch(/^404 /);
        expect((await call('collection.exists', { index, collection: 'books' })).result).toBe(false);
      });

      it('index.refresh and refreshInternal answer on every engine', async () => {
        const index = server().newIndex();
        await result('index.create', { index });
        await result('index.refresh', { index });
        expect(await result('index.refreshInternal', {})).toEqual({ acknowledged: true });
      });

      it.each(['users', 'profiles', 'roles', 'ms', 'validations', 'api', 'strategies', 'credentials'])(
        'an index "%s" is refused at creation',
        async (index) => {
          expect(await outcome('index.create', { index })).toMatch(/^400 /);
          expect(
            await server().message({ controller: 'document', action: 'create', index, collection: 'books', body: {} }),
          ).toMatchObject({ status: 400 });
        },
      );
    });
  });
}
