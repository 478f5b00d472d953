import type { JsonObject, JsonValue } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { PROTOCOLS, useServer, type TestedEngine } from './TestServer.js';

export function describeRefresh(engine: TestedEngine): void {
  describe('refresh (PROTO-8, DOC-21)', () => {
    const server = useServer(engine);
    const found = async (index: string) => {
      const { body } = await server().http('POST', `/${index}/books/_count`, {});
      return (body.result as { readonly count: number }).count;
    };

    it('wait_for and true make a write visible to search at once, over HTTP and in messages', async () => {
      const { http, message, newIndex } = server();
      const index = newIndex();
      let count = 0;
      for (const refresh of ['wait_for', 'true']) {
        expect((await http('PUT', `/${index}/books/h-${refresh}?refresh=${refresh}`, {})).status).toBe(200);
        expect(await found(index)).toBe(++count);
      }
      for (const refresh of ['wait_for', 'true', true]) {
        const _id = `m-${typeof refresh}-${refresh}`;
        const at = { index, collection: 'books', _id, body: {} };
        expect(await message({ controller: 'document', action: 'create', refresh, ...at })).toMatchObject({
          status: 200,
        });
        expect(await found(index)).toBe(++count);
      }
    });

    it('false and an empty value count as absent', async () => {
      const { http, message, newIndex } = server();
      const index = newIndex();
      for (const refresh of ['false', '']) {
        expect((await http('POST', `/${index}/books/_create?refresh=${refresh}`, {})).status).toBe(200);
      }
      for (const refresh of ['false', '', false, null]) {
        const sent = { controller: 'document', action: 'create', index, collection: 'books' };
        expect(await message({ ...sent, refresh, body: {} })).toMatchObject({ status: 200 });
      }
    });

    describe.each(PROTOCOLS)('over %s', (protocol) => {
      const QUERY = { query: { match_all: {} } };
      it.each<[string, JsonObject]>([
        ['document.create', { body: {} }],
        ['document.createOrReplace', { _id: '1', body: {} }],
        ['document.replace', { _id: '1', body: {} }],
        ['document.update', { _id: '1', body: {} }],
        ['document.upsert', { _id: '1', body: { doc: {} } }],
        ['document.delete', { _id: '1' }],
        ['document.deleteByQuery', { body: QUERY }],
        ['document.updateByQuery', { body: { ...QUERY, doc: {} } }],
        ['document.mCreate', { body: { documents: [] } }],
        ['document.mCreateOrReplace', { body: { documents: [] } }],
        ['document.mReplace', { body: { documents: [] } }],
        ['document.mUpdate', { body: { documents: [] } }],
        ['document.mDelete', { body: { ids: [] } }],
        ['bulk.import', { body: { bulkData: [{ index: {} }, {}] } }],
      ])('%s: true is taken, another value is a 400', async (name, fields) => {
        const [controller = '', action = ''] = name.split('.');
        const index = server().newIndex();
        await server().http('PUT', `/${index}/books/1`, {});
        const call = (refresh: JsonValue) =>
          server().call(protocol, {
            controller,
            action,
            index,
            collection: 'books',
            ...fields,
            refresh,
          });
        for (const refresh of ['yes', '1', 'TRUE']) {
          expect(await call(refresh)).toMatchObject({
            status: 400,
            error: { id: 'api.invalid_argument' },
          });
        }
        expect(await call('true')).toMatchObject({ status: 200 });
      });
    });

    it('a message with another value is a 400, whatever its action', async () => {
      for (const refresh of [1, 'yes', [], {}]) {
        const refused = await server().message({ controller: 'server', action: 'now', refresh });
        expect(refused).toMatchObject({ status: 400, error: { id: 'api.invalid_argument' } });
      }
    });
  });
}
