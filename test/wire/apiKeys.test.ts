import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import type { JsonObject } from '@millrace/kernel';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { sse } from '@millrace/protocol-sse';
import { websocket } from '@millrace/protocol-websocket';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { connectFallback } from './clients/connectFallback.js';
import { connectMqtt } from './clients/connectMqtt.js';
import { connectWebsocket } from './clients/connectWebsocket.js';
import { EventReader } from './clients/EventReader.js';
import type { MessageClient } from './clients/MessageClient.js';

const PASSWORD = 'a-long-Password-7';
const AT = { index: 'city', collection: 'stations' };
const SUBSCRIBE = { controller: 'realtime', action: 'subscribe', ...AT, body: {} };
const SEARCH = { controller: 'document', action: 'search', ...AT, body: {} };
const ROLE = {
  controllers: {
    document: { actions: { search: true } },
    realtime: { actions: { subscribe: true } },
    auth: { actions: { getCurrentUser: true } },
  },
};
const LASTING = ['websocket', 'fallback', 'mqtt'] as const;

interface Created {
  readonly _id: string;
  readonly key: string;
}

describe('API keys over each protocol', () => {
  let server: StartedKernel;
  let admin: string;
  const urls = new Map<string, string>();

  const ask = async (method: string, path: string, body?: unknown, token = admin, more = {}) =>
    server.ask(method, path, body, { authorization: `Bearer ${token}`, ...more });
  const create = async (more: JsonObject = {}) => {
    const policies = [{ roleId: 'reader' }];
    const { body } = await ask('POST', '/users/root/api-keys/_create', { name: 'x', policies, ...more });
    return body.result as Created;
  };
  const remove = ({ _id }: Created) => ask('DELETE', `/users/root/api-keys/${_id}`);
  let clientCount = 0;
  const open: Record<(typeof LASTING)[number], (key: string) => Promise<MessageClient>> = {
    websocket: () => connectWebsocket(urls.get('websocket') ?? ''),
    fallback: () => connectFallback(urls.get('fallback') ?? ''),
    mqtt: (password) => connectMqtt(urls.get('mqtt') ?? '', `k${++clientCount}`, { username: 'jwt', password }),
  };

  beforeAll(async () => {
    const plugins = [localAuth(), websocket({ port: 0 }), fallback({ port: 0 }), mqtt({ port: 0 }), sse()];
    server = await startKernel({ plugins, config: { http: { port: 0, trustedProxies: ['127.0.0.1', '::1'] } } });
    for (const { protocol, url } of await server.kernel.start()) urls.set(protocol, url);
    await server.ask('POST', '/_createFirstAdmin', { _id: 'root', password: PASSWORD });
    const { body } = await server.ask('POST', '/_login', { username: 'root', password: PASSWORD });
    admin = (body.result as { readonly jwt: string }).jwt;
    await ask('PUT', '/city');
    await ask('PUT', '/city/stations');
    await ask('PUT', '/roles/reader', ROLE);
  });
  afterAll(() => server.close());

  it('HTTP: are taken as a bearer token, from the address that a trusted proxy reports (KEY-6, SEC-70)', async () => {
    const made = await create({ allowedAddresses: ['192.0.2.0/24'] });
    const search = async (from: string) => {
      const path = '/city/stations/_search';
      return (await ask('POST', path, {}, made.key, { 'x-forwarded-for': from })).status;
    };
    expect([await search('192.0.2.4'), await search('198.51.100.1')]).toEqual([200, 403]);
    expect(await search('192.0.2.4, 198.51.100.1')).toBe(403);
    await remove(made);
    expect(await search('192.0.2.4')).toBe(401);
  });

  it.each(LASTING)(
    '%s: are taken as a token, end their subscriptions and are refused once deleted (KEY-8)',
    async (protocol) => {
      const made = await create();
      const jwt = made.key;
      const client = await open[protocol](jwt);
      // MQTT: requests without a token are made with the password of the connection.
      const own = protocol === 'mqtt' ? {} : { jwt };
      expect(await client.request({ ...SEARCH, ...own })).toMatchObject({ status: 200 });
      const write = { controller: 'document', action: 'create', ...AT, body: {}, ...own };
      expect(await client.request(write)).toMatchObject({ status: 403 });
      const rotate = { controller: 'auth', action: 'rotateApiKey', keyId: made._id, ...own };
      expect(await client.request(rotate)).toMatchObject({ error: { id: 'security.api_key_not_accepted' } });
      const { result, status } = await client.request({ ...SUBSCRIBE, ...own });
      expect(status).toBe(200);
      const received = await client.receive((result as { readonly channel: string }).channel);
      await remove(made);
      await expect.poll(() => JSON.stringify(received), { timeout: 20_000 }).toContain('subscriptionEnded');
      expect(await client.request({ ...SEARCH, jwt })).toMatchObject({ status: 401 });
      client.close();
    },
  );

  it('MQTT: connects with a key that never expires, and not with an ended one', async () => {
    const made = await create({ expiresAt: null });
    const client = await open.mqtt(made.key);
    expect(await client.request(SEARCH)).toMatchObject({ status: 200 });
    client.close();
    await remove(made);
    await expect(open.mqtt(made.key)).rejects.toMatchObject({ code: 5 });
  });

  it('server-sent events: are taken as a bearer token, and the stream ends with them (KEY-8)', async () => {
    const made = await create();
    const url = `${server.url}/city/stations/_subscribe`;
    const headers = { authorization: `Bearer ${made.key}` };
    const reader = await EventReader.open(url, { headers });
    await reader.until('subscribed');
    await remove(made);
    await reader.ended;
    const again = await EventReader.open(url, { headers });
    expect(again.response.status).toBe(401);
    again.close();
  });

  it('long polls: a waiting request of a deleted key gets no later changes (KEY-8, POLL-7)', async () => {
    const made = await create();
    const path = '/city/stations/_changes';
    const { body } = await ask('GET', path, undefined, made.key);
    const { cursor } = body.result as { readonly cursor: string };
    const waiting = ask('GET', `${path}?wait=5s&cursor=${cursor}`, undefined, made.key);
    const operator = { user: { _id: 'root', profileIds: ['admin'] } };
    const rooms = async () =>
      (await server.kernel.execute({ controller: 'realtime', action: 'list' }, operator)).result;
    await expect.poll(rooms).toHaveProperty('city.stations');
    await remove(made);
    await expect.poll(rooms, { timeout: 4_000 }).not.toHaveProperty('city.stations');
    await ask('POST', '/city/stations/_create', { name: 'later' });
    const answer = await waiting;
    expect(JSON.stringify(answer.body)).not.toContain('later');
    expect((await ask('GET', path, undefined, made.key)).status).toBe(401);
  });
});
