import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { PROTOCOLS, useServer, type TestedEngine } from './TestServer.js';

export function describeQueryActions(engine: TestedEngine): void {
  describe('updateByQuery and upsert (DOC-15, DOC-16)', () => {
    const server = useServer(engine);

    describe.each(PROTOCOLS)('over %s', (protocol) => {
      const call = (action: string, index: string, fields: JsonObject) =>
        server().call(protocol, {
          controller: 'document',
          action,
          index,
          collection: 'books',
          ...fields,
        });
      const updateByQuery = (index: string, body: JsonObject, more: JsonObject = {}) =>
        call('updateByQuery', index, { body, refresh: 'wait_for', ...more });
      const upsert = (index: string, body: JsonObject | null, _id = '1', more: JsonObject = {}) =>
        call('upsert', index, { body, _id, ...more });
      const filled = async (count: number, mapping: JsonObject = {}) => {
        const index = server().newIndex();
        await server().http('PUT', `/${index}/books`, mapping);
        const bulkData = Array.from({ length: count }, (_, n) => [
          { create: { _id: `d${n}` } },
          { n, o: { kept: true } },
        ]).flat();
        await server().http('POST', `/${index}/books/_bulk?refresh=wait_for`, { bulkData });
        return index;
      };
      const get = async (index: string, id: string) =>
        (await server().http('GET', `/${index}/books/${id}`)).body.result as JsonObject;
      const ids = (result: unknown) => [...(result as { hits: string[] }).hits].sort();

      it('updateByQuery merges into every match, more than a page of them', async () => {
        const index = await filled(2_500);
        const body = { query: { range: { n: { gte: 2 } } }, doc: { o: { seen: 1 } } };
        const answer = await updateByQuery(index, body);
        expect(answer).toMatchObject({ status: 200, error: null, action: 'updateByQuery' });
        expect(ids(answer.result)).toHaveLength(2_498);
        expect(await get(index, 'd2')).toMatchObject({ _version: 2, _source: { n: 2, o: { kept: true, seen: 1 } } });
        expect(await get(index, 'd1')).toMatchObject({
          _version: 1,
          _source: { o: { kept: true } },
        });
        const counted = await server().http('POST', `/${index}/books/_count`, {
          query: { term: { 'o.seen': 1 } },
        });
        expect(counted.body.result).toEqual({ count: 2_498 });
      });

      it('what updateByQuery leaves as it was is a hit and is not written', async () => {
        const index = await filled(3);
        const body = { query: { match_all: {} }, doc: { n: 1 } };
        const answer = await updateByQuery(index, body);
        expect(answer).toMatchObject({ status: 200, result: { errors: [] } });
        expect(ids(answer.result)).toEqual(['d0', 'd1', 'd2']);
        expect([await get(index, 'd0'), await get(index, 'd1')]).toMatchObject([{ _version: 2 }, { _version: 1 }]);
      });

      it('updateByQuery reports each document that is refused, with status 206', async () => {
        const index = await filled(3);
        const field = { type: 'integer', typeOptions: { range: { max: 5 } } };
        const specification = { strict: false, fields: { sum: field } };
        await server().http('PUT', '/_specifications', { [index]: { books: specification } });
        await server().http('PUT', `/${index}/books/d1/_update?refresh=wait_for`, { sum: 4 });
        const body = { query: { match_all: {} }, doc: { sum: 9 } };
        const answer = await updateByQuery(index, body);
        expect(answer).toMatchObject({ status: 206, error: { id: 'document.partial_failure' } });
        const { hits, errors } = answer.result as { hits: string[]; errors: { _id: string }[] };
        expect(hits).toEqual([]);
        expect(errors.map(({ _id }) => _id).sort()).toEqual(['d0', 'd1', 'd2']);
        expect(errors[0]).toMatchObject({ status: 400, reason: expect.stringContaining('sum') as string });
        expect(await get(index, 'd1')).toMatchObject({ _source: { sum: 4 } });
      });

      it.each([
        [{ doc: { a: 1 } }, 'query.invalid'],
        [{ query: {}, doc: { a: 1 } }, 'query.invalid'],
        [{ query: { match_all: {} } }, 'api.missing_argument'],
        [{ query: { match_all: {} }, doc: [] }, 'api.invalid_argument'],
        [{ query: { match_all: {} }, doc: { _x: 1 } }, 'document.reserved_key'],
        [{ query: { mtach: {} }, doc: {} }, 'query.invalid'],
        [{ query: { match_all: {} }, doc: {}, dco: {} }, 'query.invalid'],
      ])('updateByQuery refuses %j', async (body, id) => {
        const index = await filled(1);
        const answer = await updateByQuery(index, body);
        expect(answer).toMatchObject({ status: 400, error: { id } });
        expect(await get(index, 'd0')).toMatchObject({ _version: 1 });
      });

      it('subscribers receive one notification for each document of updateByQuery, and one for upsert', async () => {
        const index = await filled(3);
        const client = await server().connect();
        const at = { index, collection: 'books' };
        const body = { range: { n: { gte: 1 } } };
        const subscribed = await client.request({ controller: 'realtime', action: 'subscribe', ...at, body });
        const { channel } = subscribed.result as { readonly channel: string };
        const received = await client.receive(channel);
        await updateByQuery(index, { query: { match_all: {} }, doc: { seen: true } });
        await upsert(index, { doc: { n: 7 } }, 'new');
        await updateByQuery(index, { query: { match_all: {} }, doc: { seen: false } }, { silent: true });
        await upsert(index, { doc: { n: 8 } }, 'last');
        const shown = () =>
          received.map(({ action, result }) => `${String(action)} ${(result as { _id: string })._id}`);
        await expect.poll(shown, { timeout: 20_000 }).toContain('create last');
        expect(shown().sort()).toEqual(['create last', 'create new', 'update d1', 'update d2']);
      });

      it('upsert creates the default with doc merged into it, then merges doc alone', async () => {
        const index = server().newIndex();
        const body = { doc: { a: 1, o: { x: 1 } }, default: { a: 0, b: 2, o: { y: 1 } } };
        const created = await upsert(index, body);
        const source = { a: 1, b: 2, o: { x: 1, y: 1 } };
        expect(created.result).toMatchObject({ _id: '1', _version: 1, _source: source, created: true });
        const merged = await upsert(index, { doc: { o: { x: 2 } }, default: { z: 1 } });
        expect(merged).toMatchObject({
          status: 200,
          result: {
            _id: '1',
            _version: 2,
            _source: { a: 1, b: 2, o: { x: 2, y: 1 } },
            created: false,
          },
        });
      });

      it('of concurrent upserts of one document one creates, and no change is lost', async () => {
        const { http, newIndex } = server();
        const index = newIndex();
        await http('PUT', `/${index}/books`);
        const writes = Array.from({ length: 12 }, (_, n) => upsert(index, { doc: { [`k${n}`]: n } }));
        const results = (await Promise.all(writes)).map(({ result }) => result as { created: boolean });
        expect(results.filter(({ created }) => created)).toHaveLength(1);
        const { _source: source, _version: version } = await get(index, '1');
        expect([Object.keys(source as JsonObject).length, version]).toEqual([12, 12]);
      });

      it.each([
        [{ default: {} }, 'api.missing_argument', 'doc'],
        [{ doc: 7 }, 'api.invalid_argument', 'doc'],
        [{ doc: {}, default: [] }, 'api.invalid_argument', 'default'],
        [{ doc: {}, defualt: {} }, 'api.invalid_argument', 'did you mean default?'],
        [{ doc: { _x: 1 } }, 'document.reserved_key', '_x'],
        [null, 'api.missing_argument', 'body'],
      ] as const)('upsert refuses %j', async (body, id, part) => {
        const index = server().newIndex();
        const answer = await upsert(index, body);
        expect(answer).toMatchObject({ status: 400, error: { id } });
        expect(answer.error?.message).toContain(part);
        expect((await server().http('GET', `/${index}/_exists`)).body.result).toBe(false);
      });
    });
  });
}
