import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { flatRole, startSecured, type Account, type SecuredServer } from '../security/securedServer.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';
import type { TestedEngine } from './TestServer.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';

const AT = { index: 'shop', collection: 'things' };
const MEMBER = flatRole({
  document: ['*'],
  bulk: ['*'],
  realtime: ['*'],
  collection: ['*'],
});

interface Meta {
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly author: string | null;
  readonly updater: string | null;
}
const metaOf = (result: unknown) => (result as { readonly _meta: Meta })._meta;

/** Waits for a condition that other threads or the network bring about. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function describeMetadata(engine: TestedEngine): void {
  describe('document metadata (DOC-17)', () => {
    let server: SecuredServer;
    let anna: Account;
    let bert: Account;
    let startedMs: number;

    const by = (user: Account | null, action: string, path: string, body?: JsonValue, method = 'POST') =>
      server.result(method, `/shop/${path}/${action}?refresh=wait_for`, {
        ...(user !== null && { jwt: user.jwt }),
        ...(body !== undefined && { body }),
      });
    const search = (body: JsonObject) => by(anna, '_search', 'things', body);
    const idsOf = async (body: JsonObject) =>
      ((await search(body)).hits as unknown as readonly { _id: string }[]).map(({ _id }) => _id);

    beforeAll(async () => {
      startedMs = Date.now();
      server = await startSecured({ storage: await engine(), websocket: { port: 0 } }, { plugins: [websocket()] });
      anna = await server.account(MEMBER);
      bert = await server.account(MEMBER);
    });
    afterAll(() => server.close());

    it('is set by every write and returned by every read over HTTP', async () => {
      const created = await by(anna, '_create', 'things/one', { n: 1 });
      const first = metaOf(created);
      expect(first).toEqual({
        createdAt: expect.any(Number) as number,
        updatedAt: null,
        author: anna.id,
        updater: null,
      });
      expect(first.createdAt).toBeGreaterThanOrEqual(startedMs);
      expect(first.createdAt).toBeLessThanOrEqual(Date.now());
      const updated = metaOf(await by(bert, '_update', 'things/one', { m: 1 }, 'PUT'));
      expect(updated).toEqual({
        ...first,
        updatedAt: expect.any(Number) as number,
        updater: bert.id,
      });
      const replaced = metaOf(await by(anna, '_replace', 'things/one', { n: 2 }, 'PUT'));
      expect(replaced).toMatchObject({
        createdAt: first.createdAt,
        author: anna.id,
        updater: anna.id,
      });
      const whole = metaOf(await by(bert, '_createOrReplace', 'things/one', { n: 3 }, 'PUT'));
      expect(whole).toMatchObject({
        createdAt: first.createdAt,
        author: anna.id,
        updater: bert.id,
      });

      const read = await server.result('GET', '/shop/things/one');
      expect(read).toMatchObject({ _version: 4, _source: { n: 3 }, _meta: whole });
      expect(read._source).toEqual({ n: 3 });
      const many = await by(anna, '_mGet', 'things', { ids: ['one'] });
      expect(many).toMatchObject({ successes: [{ _id: 'one', _meta: whole }] });
      const found = await search({ query: { ids: { values: ['one'] } }, _source: false });
      expect(found).toMatchObject({ hits: [{ _id: 'one', _meta: whole }] });
      const scroll = await server.result('POST', '/shop/things/_search?scroll=1m', { body: {} });
      expect(scroll).toMatchObject({ hits: [{ _id: 'one', _meta: whole }] });
    });

    it('an import sets it like any write, and its report has none', async () => {
      const bulkData = [{ index: { _id: 'b1' } }, { n: 1 }, { index: { _id: 'b1' } }, { n: 2 }];
      const reply = await server.http('POST', '/shop/things/_bulk?refresh=wait_for', {
        jwt: bert.jwt,
        body: { bulkData },
      });
      expect(reply).toMatchObject({ status: 200 });
      expect(reply.text).not.toContain('_meta');
      const meta = metaOf(await server.result('GET', '/shop/things/b1'));
      expect(meta).toMatchObject({ author: bert.id, updater: bert.id });
      expect(meta.updatedAt).not.toBeNull();
    });

    it('no client can set it', async () => {
      for (const [method, action] of [
        ['POST', '_create'],
        ['PUT', '_createOrReplace'],
      ] as const) {
        const body = { _meta: { author: 'root' } };
        const reply = await server.http(method, `/shop/things/forged/${action}`, { jwt: anna.jwt, body });
        expect(reply).toMatchObject({ status: 400, error: { id: 'document.reserved_key' } });
      }
      const mapping = { properties: { _meta: { properties: { author: { type: 'keyword' } } } } };
      expect(await server.http('PUT', '/shop/things/_mapping', { body: mapping })).toMatchObject({ status: 400 });
      const copying = { properties: { tag: { type: 'keyword', copy_to: '_meta.author' } } };
      expect(await server.http('PUT', '/shop/things/_mapping', { body: copying })).toMatchObject({ status: 400 });
    });

    it('its four fields are fields of searches by their exact names', async () => {
      await by(anna, '_create', 'things/s1', { tag: 'x' });
      await by(bert, '_create', 'things/s2', { tag: 'x' });
      await by(bert, '_update', 'things/s1', { tag: 'y' }, 'PUT');
      expect(await idsOf({ query: { term: { '_meta.author': bert.id } }, sort: ['_id'] })).toEqual(['b1', 's2']);
      expect(
        await idsOf({
          query: {
            bool: { filter: [{ exists: { field: 'tag' } }, { range: { '_meta.updatedAt': { gte: startedMs } } }] },
          },
        }),
      ).toEqual(['s1']);
      expect(
        await idsOf({ query: { exists: { field: 'tag' } }, sort: [{ '_meta.createdAt': 'desc' }, { _id: 'desc' }] }),
      ).toHaveLength(2);
      const { aggregations } = await search({ size: 0, aggs: { who: { terms: { field: '_meta.author' } } } });
      expect(JSON.stringify(aggregations)).toContain(bert.id);
      const { count } = await by(anna, '_count', 'things', { query: { term: { '_meta.updater': anna.id } } });
      expect(count).toBe(0);
    });

    it.each([
      { query: { term: { '_meta.other': 'x' } } },
      { query: { exists: { field: '_meta' } } },
      { query: { exists: { field: '_meta.*' } } },
      { query: { query_string: { query: '_meta.\\*:x' } } },
      { query: { query_string: { query: 'x', default_field: '_meta.author' } } },
      { query: { multi_match: { query: 'x', fields: ['_meta.*'] } } },
      { sort: ['_meta'] },
      { highlight: { fields: { '_meta.author': {} } } },
      { aggs: { a: { nested: { path: '_meta.author' } } } },
    ])('refuses other ways to it with 400: %j', async (body) => {
      const reply = await server.http('POST', '/shop/things/_search', { body });
      expect(reply).toMatchObject({ status: 400 });
    });

    it('is in no mapping, and conditions of roles do not see it', async () => {
      const mapping = await server.http('GET', '/shop/things/_mapping');
      expect(mapping.text).not.toContain('_meta');
      const when = { exists: { field: 'document._meta' } };
      const dotted = { exists: { field: 'document._meta.author' } };
      const right = { when: { or: [when, dotted] } };
      const role = { controllers: { document: { actions: { get: right } } } };
      const guest = await server.account(role);
      const reply = await server.http('GET', '/shop/things/one', { jwt: guest.jwt });
      expect(reply).toMatchObject({ status: 403 });
    });

    describe('in notifications over WebSocket', () => {
      let client: MessageClient;
      let other: MessageClient;

      const subscribe = async (who: MessageClient, jwt: string, body: JsonObject, more: JsonObject = {}) => {
      const response = await who.request({ controller: 'realtime', action: 'subscribe', ...AT, jwt, body, ...more });
      expect(response.error).toBeNull();
      const { roomId, channel } = response.result as unknown as Record<'roomId' | 'channel', string>;
      return { roomId, channel, received: await who.receive(channel) };
    }; // prettier-ignore

      beforeAll(async () => {
        const { started } = server;
        const addresses = await started.kernel.start();
        const url = addresses.find((address) => address.url !== started.url)?.url ?? '';
        [client, other] = [await connectWebsocket(url), await connectWebsocket(url)];
      });
      afterAll(() => {
        client.close();
        other.close();
      });

      it('a document event has roomId, _version and _meta; of a deletion the last stored', async () => {
        const { roomId, received } = await subscribe(client, anna.jwt, {
          equals: { kind: 'event' },
        });
        const first = metaOf(await by(anna, '_create', 'things/e1', { kind: 'event' }));
        const second = metaOf(await by(bert, '_update', 'things/e1', { n: 1 }, 'PUT'));
        const third = metaOf(await by(bert, '_update', 'things/e1', { kind: 'none' }, 'PUT'));
        const fourth = metaOf(await by(anna, '_replace', 'things/e1', { kind: 'event' }, 'PUT'));
        await server.result('DELETE', '/shop/things/e1', { jwt: bert.jwt });
        await until(() => received.length === 5);
        expect(received.map(({ action, scope, result }) => ({ action, scope, result }))).toEqual([
        { action: 'create', scope: 'in', result: { _id: 'e1', _source: { kind: 'event' }, _version: 1, _meta: first } },
        { action: 'update', scope: 'in', result: { _id: 'e1', _source: { kind: 'event', n: 1 }, _version: 2, _meta: second } },
        { action: 'update', scope: 'out', result: { _id: 'e1', _version: 3, _meta: third } },
        { action: 'update', scope: 'in', result: { _id: 'e1', _source: { kind: 'event' }, _version: 4, _meta: fourth } },
        { action: 'delete', scope: 'out', result: { _id: 'e1', _version: 4, _meta: fourth } },
      ]); // prettier-ignore
        expect(new Set(received.map((each) => each['roomId']))).toEqual(new Set([roomId]));
      });

      it('live filters may name its fields, for messages they are absent', async () => {
        const byBert = await subscribe(client, anna.jwt, { equals: { '_meta.author': bert.id } });
        const changed = await subscribe(client, anna.jwt, {
          and: [{ equals: { kind: 'live' } }, { range: { '_meta.updatedAt': { gte: startedMs } } }],
        });
        const whole = await subscribe(client, anna.jwt, { exists: { field: '_meta' } });
        await by(anna, '_create', 'things/l1', { kind: 'live' });
        await by(bert, '_create', 'things/l2', { kind: 'live' });
        await by(anna, '_update', 'things/l2', { n: 1 }, 'PUT');
        const forged = { _meta: { author: bert.id }, '_meta.author': bert.id };
        await server.result('POST', '/shop/things', { jwt: anna.jwt, body: forged });
        await by(bert, '_create', 'things/l3', {});
        await until(() => byBert.received.length >= 3);
        const shown = ({ action, scope, result }: Record<string, unknown>) =>
          `${String(action)} ${String(scope)} ${(result as { _id: string })._id}`;
        expect(byBert.received.map(shown)).toEqual(['create in l2', 'update in l2', 'create in l3']);
        expect(changed.received.map(shown)).toEqual(['update in l2']);
        expect(whole.received).toEqual([]);
      });

      it("users' events have user and roomId, messages have roomId, pending ones too", async () => {
        const body = { equals: { kind: 'users' } };
        const all = { users: 'all', state: 'all' };
        const { roomId, received } = await subscribe(client, anna.jwt, body, all);
        await subscribe(other, bert.jwt, body);
        await other.request({
          controller: 'realtime',
          action: 'unsubscribe',
          roomId,
          jwt: bert.jwt,
        });
        await server.result('POST', '/shop/things', { jwt: anna.jwt, body: { kind: 'users' } });
        await by(anna, '_create', 'things/u1', { kind: 'users' });
        await until(() => received.length === 5);
        expect(received).toMatchObject([
        { controller: 'realtime', action: 'subscribe', scope: 'in', user: 'in', roomId, result: { roomId, count: 2 } },
        { controller: 'realtime', action: 'unsubscribe', scope: 'out', user: 'out', roomId, result: { roomId, count: 1 } },
        { controller: 'realtime', action: 'publish', roomId, result: { _source: { kind: 'users' } } },
        { action: 'create', state: 'pending', roomId, result: {} },
        { action: 'create', state: 'done', roomId, result: { _id: 'u1', _version: 1 } },
      ]); // prettier-ignore
        expect(received[2]).not.toHaveProperty('user');
        expect(Object.keys(received[2]?.['result'] as object)).toEqual(['_source']);
      });
    });
  });
}
