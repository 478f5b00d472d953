/* Named subscriptions and API keys (RESUME-47, KEY-5): a key has no access to names that are not its own. */
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MemoryProtocol, type MemoryClient } from '../realtime/MemoryProtocol.js';
import { startSecured, type SecuredServer } from './securedServer.js';

const WAIT = { timeout: 60_000, interval: 20 };
const AT = { index: 'shop', collection: 'sales' };

const protocol = new MemoryProtocol();
let server: SecuredServer;

beforeAll(async () => {
  server = await startSecured({}, { plugins: [protocol.plugin] });
  await server.result('PUT', '/shop');
});
afterAll(() => server.close());

/** A key of the administrator that may subscribe, and nothing else. */
async function createKey(): Promise<{ readonly _id: string; readonly key: string }> {
  const subscriber = { controllers: { realtime: { actions: { subscribe: true } } } };
  await server.result('PUT', '/roles/subscriber', { body: subscriber });
  const body = { name: 'a device', policies: [{ roleId: 'subscriber' }] };
  return (await server.result('POST', '/api-keys/_create', { body })) as never;
}

const ask = (client: MemoryClient, action: string, fields: JsonObject) =>
  client.request({ controller: 'realtime', action, ...fields });
const subscribe = (client: MemoryClient, jwt: string) =>
  ask(client, 'subscribe', { ...AT, body: {}, name: 'till', jwt });
const names = async (jwt: string) => {
  const { names: listed } = await server.result('GET', '/_namedSubscriptions', { jwt });
  return (listed as readonly JsonObject[]).map(({ name, apiKeyId }) => [name, apiKeyId]);
};

describe('an API key', () => {
  it('RESUME-47: neither sees nor takes nor deletes the names of its owner', async () => {
    const { _id: keyId, key } = await createKey();
    const { adminJwt } = server;
    const client = protocol.connect();
    const own = await subscribe(client, adminJwt);
    const { cursor } = own.result as { readonly cursor: string };
    expect(await names(key)).toEqual([]);
    expect((await server.http('DELETE', '/_namedSubscriptions/till', { jwt: key })).status).toBe(404);

    const other = protocol.connect();
    expect((await subscribe(other, key)).result).toMatchObject({ name: 'till', resumed: false });
    expect((await ask(client, 'ack', { name: 'till', cursor, jwt: adminJwt })).status).toBe(200);
    expect(client.received.map(({ message }) => message.action)).not.toContain('subscriptionEnded');
    expect(await names(key)).toEqual([['till', keyId]]);
    const all = await names(adminJwt);
    expect(new Set(all)).toEqual(
      new Set([
        ['till', undefined],
        ['till', keyId],
      ]),
    );

    await server.result('DELETE', `/api-keys/${keyId}`);
    await vi.waitFor(async () => expect(await names(adminJwt)).toEqual([['till', undefined]]), WAIT);
    expect((await ask(client, 'ack', { name: 'till', cursor, jwt: adminJwt })).status).toBe(200);
  });
});
