import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, ResponseMessage } from '@millrace/kernel';
import { createClient, MillraceError } from '@millrace/client';
import { localAuth } from '@millrace/auth-local';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { websocket } from '@millrace/protocol-websocket';
import { startKernel } from '../startKernel.js';
import { connectFallback } from '../wire/clients/connectFallback.js';
import { connectMqtt } from '../wire/clients/connectMqtt.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';
import { fresh, startSecured, type SecuredServer } from './securedServer.js';

/** Regains nothing during a test. */
const NEVER = 0.001;
const NOW = { controller: 'server', action: 'now' };
const IGNORED = 100;

describe('rate limits (LIMIT-1)', () => {
  let server: SecuredServer;
  let urls: ReadonlyMap<string, string>;

  beforeAll(async () => {
    server = await startSecured(
      { websocket: { port: 0 }, fallback: { port: 0 }, mqtt: { port: 0 } },
      { plugins: [websocket(), fallback(), mqtt()] },
    );
    const addresses = await server.started.kernel.start();
    urls = new Map(addresses.map(({ protocol, url }) => [protocol, url]));
    await server.result('PUT', '/notes');
    await server.result('PUT', '/notes/all');
  });
  afterAll(() => server.close());

  const url = (protocol: string) => urls.get(protocol) ?? '';
  const connect: Readonly<Record<string, () => Promise<MessageClient>>> = {
    websocket: () => connectWebsocket(url('websocket')),
    fallback: () => connectFallback(url('fallback')),
    mqtt: () => connectMqtt(url('mqtt'), fresh('client')),
  };
  const writeProfile = (id: string, rateLimit: JsonObject | null | undefined) =>
    server.result('PUT', `/profiles/${id}`, {
      body: { policies: [{ roleId: 'admin' }], ...(rateLimit !== undefined && { rateLimit }) },
    });
  /** A user with all rights whose bucket holds some units. */
  const account = async (...burst: number[]) => {
    const profileIds = await Promise.all(
      burst.map(async (each) => {
        const id = fresh('profile');
        await writeProfile(id, { perSecond: NEVER, burst: each });
        return id;
      }),
    );
    const [id, password] = [fresh('user'), fresh('Secret-pass')];
    await server.result('POST', `/users/${id}/_create`, { body: { profileIds, password } });
    return { id, jwt: await server.token(id, password), profileIds };
  };
  const now = (jwt: string) => server.http('GET', '/_now', { jwt });

  it('refuses by 429 and says when a unit is there (LIMIT-3)', async () => {
    const { jwt } = await account(3);
    const { ask } = server.started;
    const send = () => ask('GET', '/_now', undefined, { authorization: `Bearer ${jwt}` });
    const accepted = [await send(), await send(), await send()];
    expect(accepted.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(accepted.map(({ headers }) => headers.get('ratelimit'))).toEqual([
      '"user";r=2;t=1000',
      '"user";r=1;t=2000',
      '"user";r=0;t=3000',
    ]);
    expect(accepted[0]?.headers.get('ratelimit-policy')).toBe('"user";q=3;w=3000');
    const { status, headers, body } = await send();
    expect([status, headers.get('ratelimit')]).toEqual([429, '"user";r=0;t=3000']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(900);
    expect(body.error).toMatchObject({
      id: 'api.too_many_requests',
      details: { retryAfterMs: expect.any(Number) as number },
    });
  });

  it.each(Object.keys(connect))('counts in one bucket over HTTP and %s (LIMIT-1)', async (name) => {
    const { jwt } = await account(2);
    expect((await now(jwt)).status).toBe(200);
    const client = await (connect[name] as () => Promise<MessageClient>)();
    expect(await client.request({ ...NOW, jwt })).toMatchObject({ status: 200 });
    const { status, error } = await client.request({ ...NOW, jwt });
    const { retryAfterMs } = (error as unknown as { details: { retryAfterMs: number } }).details;
    expect([status, retryAfterMs > 900_000]).toEqual([429, true]);
    expect((await now(jwt)).status).toBe(429);
    client.close();
  });

  it.each(Object.keys(connect))('closes a connection of %s that ignores it (LIMIT-6)', async (name) => {
    const { jwt } = await account(1);
    await now(jwt);
    const client = await (connect[name] as () => Promise<MessageClient>)();
    for (let n = 0; n < IGNORED - 1; n++) await client.request({ ...NOW, jwt });
    // What is accepted in between resets the count.
    expect(await client.request({ ...NOW, jwt: server.adminJwt })).toMatchObject({ status: 200 });
    for (let n = 0; n < IGNORED; n++) await client.request({ ...NOW, jwt });
    await client.closed;
  });

  it('counts the requests of an API key apart from those of its owner (LIMIT-1, LIMIT-3)', async () => {
    const { id, jwt } = await account(1);
    const { key } = await server.result('POST', `/users/${id}/api-keys/_create`, { body: { name: 'x' } });
    expect((await now(jwt)).status).toBe(200);
    const send = () => server.started.ask('GET', '/_now', undefined, { authorization: `Bearer ${key as string}` });
    const [first, second] = [await send(), await send()];
    expect([first.status, first.headers.get('ratelimit')]).toEqual([200, '"key";r=0;t=1000']);
    expect([second.status, (await now(jwt)).status]).toEqual([429, 429]);
  });

  it('counts the items of a list, and what is owed (LIMIT-4)', async () => {
    const { jwt } = await account(10);
    const documents = Array.from({ length: 15 }, (_, n) => ({ _id: `d${n}`, body: { n } }));
    const written = await server.http('PUT', '/notes/all/_mCreateOrReplace', { jwt, body: { documents } });
    expect(written.status).toBe(200);
    const refused = await server.message({ ...NOW, jwt });
    // The embedding program has no address: it is not limited.
    expect(refused.status).toBe(200);
    const { status, text } = await now(jwt);
    const { retryAfterMs } = (JSON.parse(text) as { error: { details: { retryAfterMs: number } } }).error.details;
    expect(status).toBe(429);
    // 15 of 10 units were taken: a request needs 6 more.
    expect(Math.ceil(retryAfterMs / 1_000_000)).toBe(6);
  });

  it('counts the subscriptions of a resume (LIMIT-4)', async () => {
    const { jwt } = await account(10);
    const client = await connect['websocket']?.();
    const one = { index: 'notes', collection: 'all', filter: { equals: { n: 1 } } };
    const body = { subscriptions: new Array(15).fill(one) };
    const resumed = await client?.request({ controller: 'realtime', action: 'resume', jwt, body });
    expect(resumed?.status).toBe(200);
    const { status, text } = await now(jwt);
    const { retryAfterMs } = (JSON.parse(text) as { error: { details: { retryAfterMs: number } } }).error.details;
    expect([status, Math.ceil(retryAfterMs / 1_000_000)]).toEqual([429, 6]);
    client?.close();
  });

  it('counts what a poll reads (LIMIT-4)', async () => {
    const { jwt } = await account(4);
    await server.result('PUT', '/notes/polled');
    const poll = (query: string) => server.result('GET', `/notes/polled/_changes${query}`);
    const { cursor } = await poll('');
    const documents = Array.from({ length: 250 }, (_, n) => ({ _id: `d${n}`, body: { n } }));
    await server.result('PUT', '/notes/polled/_mCreateOrReplace', { body: { documents } });
    const polled = await server.http('GET', `/notes/polled/_changes?cursor=${cursor as string}`, { jwt });
    expect(polled.status).toBe(200);
    const statuses = [(await now(jwt)).status, (await now(jwt)).status];
    expect(statuses).toEqual([200, 429]);
  });

  it('counts unknown actions and malformed requests (LIMIT-1)', async () => {
    const { jwt } = await account(2);
    const client = await connect['websocket']?.();
    const unknown = async (fields: JsonObject) =>
      (await client?.request({ controller: 'server', action: 'no', jwt, ...fields }))?.status;
    expect([await unknown({}), await unknown({ index: 7 }), await unknown({})]).toEqual([404, 400, 429]);
    expect((await now(jwt)).status).toBe(429);
    client?.close();
  });

  it('counts the API keys of a user together, too (LIMIT-8)', async () => {
    const { id } = await account(1);
    const statuses = [];
    for (let n = 0; n < 11; n++) {
      const { key } = await server.result('POST', `/users/${id}/api-keys/_create`, { body: { name: `k${n}` } });
      statuses.push((await now(key as string)).status);
    }
    expect(statuses).toEqual([...new Array<number>(10).fill(200), 429]);
  });

  it('counts a search by its milliseconds, one burst at most (LIMIT-4)', async () => {
    const { jwt } = await account(1);
    expect((await server.http('POST', '/notes/all/_search', { jwt, body: {} })).status).toBe(200);
    const { text } = await now(jwt);
    const { retryAfterMs } = (JSON.parse(text) as { error: { details: { retryAfterMs: number } } }).error.details;
    expect(retryAfterMs).toBeLessThanOrEqual(2_000_000);
  });

  it('never limits what ends something (LIMIT-5)', async () => {
    const { jwt } = await account(1);
    expect((await now(jwt)).status).toBe(200);
    expect((await now(jwt)).status).toBe(429);
    for (const path of ['/_healthCheck', '/livez', '/readyz']) {
      expect([path, (await server.http('GET', path, { jwt })).status]).toEqual([path, 200]);
    }
    expect((await server.http('GET', '/_logout', { jwt })).status).toBe(200);
  });

  it('takes the most generous profile, and a change at once (LIMIT-2)', async () => {
    const { jwt, profileIds } = await account(1, 4);
    for (let n = 0; n < 3; n++) await now(jwt);
    const [first = '', second = ''] = profileIds;
    await writeProfile(first, { perSecond: NEVER, burst: 2 });
    await server.result('POST', `/profiles/${second}`, { body: { policies: [{ roleId: 'admin' }] } });
    const { _source } = await server.result('GET', `/profiles/${second}`);
    expect(_source).toMatchObject({ rateLimit: { perSecond: NEVER, burst: 4 } });
    await writeProfile(second, { perSecond: 0 });
    for (let n = 0; n < 10; n++) expect((await now(jwt)).status).toBe(200);
  });

  it.each([
    [7, 'rateLimit: expected {perSecond, burst?} or null, got 7'],
    [{ rate: 1 }, 'rateLimit.rate is unknown: expected perSecond, burst'],
    [{ perSecond: -1 }, 'rateLimit.perSecond: expected a number from 0 (no limit) to 1000000, got -1'],
    [{ perSecond: 1, burst: 0 }, 'rateLimit.burst: expected an integer of at least 1, got 0'],
  ])('refuses the profile with %j', async (rateLimit, reason) => {
    const body = { policies: [{ roleId: 'admin' }], rateLimit };
    const { status, error } = await server.http('POST', '/profiles/wrong/_create', { body });
    expect([status, error.message]).toEqual([400, `Invalid profile: ${reason}`]);
  });

  it('is an error of the client that says when to try again', async () => {
    const { jwt } = await account(1);
    const client = createClient(server.started.url, {
      auth: { token: async () => jwt },
      retries: 0,
    });
    await client.actions.server.now();
    const failure = await client.actions.server.now().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MillraceError);
    expect(failure).toMatchObject({ id: 'api.too_many_requests', isRetryable: true });
    expect((failure as MillraceError).retryAfterMs).toBeGreaterThan(900_000);
  });

  it('counts each API key by itself (LIMIT-1)', async () => {
    const { profileIds } = await account(3);
    const [id, password] = [fresh('user'), fresh('Secret-pass')];
    await server.result('POST', `/users/${id}/_create`, { body: { profileIds, password } });
    for (const name of ['one', 'two']) {
      const { key } = await server.result('POST', `/users/${id}/api-keys/_create`, { body: { name } });
      const answers = [];
      for (let n = 0; n < 4; n++)
        answers.push(await server.started.ask('GET', '/_now', undefined, { authorization: `Bearer ${key as string}` }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
      expect(answers[0]?.headers.get('ratelimit-policy')).toMatch(/^"key";q=3;/);
    }
  });
});

describe('limits of the configuration (LIMIT-2)', () => {
  it('limit anonymous callers by address, and users', async () => {
    const limits = { anonymous: { perSecond: 1, burst: 2 }, user: { perSecond: 1, burst: 100_000 } };
    const server = await startKernel({ config: { limits } });
    const answers = await Promise.all(Array.from({ length: 50 }, () => server.ask('GET', '/_now')));
    const statuses = answers.map(({ status }: { status: ResponseMessage['status'] }) => status);
    expect(statuses).toContain(429);
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('"address";q=2;w=2');
    await server.close();
  });
});

describe('limits of anonymous callers (LIMIT-1)', () => {
  /** A server that gives each address two requests. */
  const startLimited = async (http: JsonObject) => {
    const server = await startKernel({ config: { http }, plugins: [localAuth()] });
    const body = { policies: [{ roleId: 'anonymous' }], rateLimit: { perSecond: NEVER, burst: 2 } };
    const change = { controller: 'security', action: 'updateProfile', _id: 'anonymous', body };
    expect(await server.kernel.execute(change)).toMatchObject({ status: 200 });
    return server;
  };

  it('count an anonymous caller by the forwarded address, and an IPv6 address by its network (LIMIT-1)', async () => {
    const server = await startLimited({ port: 0, trustedProxies: ['127.0.0.1', '::1'] });
    const from = async (address: string) => {
      const headers = { 'x-forwarded-for': address };
      const { status, headers: answered } = await server.ask('GET', '/_now', undefined, headers);
      return `${status} ${/r=(\d+)/.exec(answered.get('ratelimit') ?? '')?.[1] ?? ''}`;
    };
    expect([await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1')]).toEqual([
      '200 1',
      '200 0',
      '429 0',
    ]);
    // What a client writes before the address that the proxy adds doesn't count.
    expect(await from('198.51.100.7, 192.0.2.1')).toBe('429 0');
    expect(await from('192.0.2.2')).toBe('200 1');
    expect(await from('::ffff:192.0.2.2')).toBe('200 0');
    expect([await from('2001:db8:1:2::1'), await from('2001:db8:1:2:ffff::9')]).toEqual(['200 1', '200 0']);
    expect([await from('2001:db8:1:2:a:b:c:d'), await from('2001:db8:1:3::1')]).toEqual(['429 0', '200 1']);
    await server.close();
  });

  it('count a login of an anonymous caller (LIMIT-1)', async () => {
    const server = await startLimited({ port: 0 });
    const login = () => server.ask('POST', '/_login', { username: 'none', password: 'none' });
    const answers = [await login(), await login(), await login()];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429]);
    expect(answers[2]?.body.error).toMatchObject({ id: 'api.too_many_requests' });
    await server.close();
  });
});
