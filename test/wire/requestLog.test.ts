import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { silentLogger, type JsonObject, type Logger } from '@millrace/kernel';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { sse } from '@millrace/protocol-sse';
import { websocket } from '@millrace/protocol-websocket';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { connectFallback } from './clients/connectFallback.js';
import { connectMqtt } from './clients/connectMqtt.js';
import { connectWebsocket } from './clients/connectWebsocket.js';
import { EventReader } from './clients/EventReader.js';

const PASSWORD = 'a-long-Password-7';
const BEHIND_PROXY = { 'x-forwarded-for': '203.0.113.7' };
const PROTOCOLS = ['websocket', 'fallback', 'mqtt'] as const;
const OPEN = {
  websocket: connectWebsocket,
  fallback: connectFallback,
  mqtt: (url: string) => connectMqtt(url, 'c1'),
};

describe('log.requests', () => {
  let server: StartedKernel;
  let lines: JsonObject[];

  const start = async (requests: boolean) => {
    lines = [];
    const info = (fields: object, message: string) => {
      if (message === 'request') lines.push({ ...fields });
    };
    const logger: Logger = { ...silentLogger, info, child: () => logger };
    const plugins = [localAuth(), websocket({ port: 0 }), fallback({ port: 0 }), mqtt({ port: 0 }), sse()];
    const http = { port: 0, trustedProxies: ['127.0.0.1', '::1'] };
    server = await startKernel({ plugins, logger, config: { http, log: { requests } } });
  };
  const logIn = async () => {
    await server.ask('POST', '/_createFirstAdmin', { _id: 'root', password: PASSWORD });
    const { body } = await server.ask('POST', '/_login', { username: 'root', password: PASSWORD });
    return (body.result as { readonly jwt: string }).jwt;
  };
  /** Waits for the line of a request. */
  const lineOf = async (requestId: string) => {
    await expect.poll(() => lines.some((line) => line.requestId === requestId)).toBe(true);
    return lines.filter((line) => line.requestId === requestId);
  };

  beforeEach(() => start(true));
  afterEach(() => server.close());

  it('is off by default', async () => {
    await server.close();
    await start(false);
    await server.ask('GET', '/_now');
    await new Promise(setImmediate);
    expect(lines).toEqual([]);
  });

  it('writes one line for a request over HTTP, with the client that a trusted proxy names', async () => {
    const authorization = `Bearer ${await logIn()}`;
    const headers = { authorization, 'x-request-id': 'h1', ...BEHIND_PROXY };
    const { text } = await server.ask('GET', '/users/_me?private=1', undefined, headers);
    expect(await lineOf('h1')).toEqual([
      {
        protocol: 'http',
        remoteAddress: '203.0.113.7',
        userId: 'root',
        action: 'auth:getCurrentUser',
        method: 'GET',
        route: '/users/_me',
        status: 200,
        bytes: Buffer.byteLength(text),
        durationMs: expect.any(Number) as number,
        requestId: 'h1',
      },
    ]);
  });

  it('names the error, and the path if no route matches', async () => {
    await server.ask('GET', '/admin.php/x/y/z?token=s3cret', undefined, { 'x-request-id': 'h2' });
    const [line] = await lineOf('h2');
    expect(line).toMatchObject({
      ...{ method: 'GET', unknownPath: '/admin.php/x/y/z', status: 404 },
      ...{ error: 'api.route_not_found', userId: '-1' },
    });
    expect(line).not.toHaveProperty('action');
  });

  it('has the bytes of long answers', async () => {
    await server.ask('PUT', '/city', {});
    await server.ask('PUT', '/city/stations', {});
    const body = { text: 'x'.repeat(400_000) };
    await server.ask('POST', '/city/stations/s1/_create', body);
    const headers = { 'x-request-id': 'h3' };
    const { text } = await server.ask('GET', '/city/stations/s1', undefined, headers);
    expect(text.length).toBeGreaterThan(400_000);
    expect(await lineOf('h3')).toMatchObject([{ status: 200, bytes: text.length }]);
    for (const { protocol, url } of await server.kernel.start()) {
      if (!isLasting(protocol)) continue;
      const client = await OPEN[protocol](url);
      const get = { controller: 'document', action: 'get', index: 'city', collection: 'stations' };
      await client.request({ ...get, _id: 's1', requestId: protocol });
      const [line] = await lineOf(protocol);
      expect(line?.bytes).toBeGreaterThan(400_000);
      client.close();
    }
  });

  it.each(PROTOCOLS)('writes one line for a request over %s, without its secrets', async (protocol) => {
    const jwt = await logIn();
    const key = await server.ask(
      'POST',
      '/users/root/api-keys/_create',
      { name: 'x', policies: [{ roleId: 'admin' }] },
      { authorization: `Bearer ${jwt}` },
    );
    const apiKey = key.body.result as { readonly _id: string; readonly key: string };
    const url = (await server.kernel.start()).find((each) => each.protocol === protocol)?.url ?? '';
    const client = await OPEN[protocol](url);
    const now = { controller: 'server', action: 'now', requestId: 'now', jwt: apiKey.key };
    await client.request(now);
    expect(await lineOf('now')).toEqual([
      {
        protocol,
        remoteAddress: expect.stringMatching(/127\.0\.0\.1|::1/) as string,
        userId: 'root',
        apiKeyId: apiKey._id,
        action: 'server:now',
        status: 200,
        bytes: expect.toSatisfy((bytes: number) => bytes > 150 && bytes < 1_000) as number,
        durationMs: expect.any(Number) as number,
        requestId: 'now',
      },
    ]);
    const body = { username: 'root', password: 'wrong-Secret-9' };
    const login = {
      controller: 'auth',
      action: 'login',
      strategy: 'local',
      requestId: 'in',
      body,
    };
    await client.request(login);
    expect(await lineOf('in')).toMatchObject([{ status: 401, userId: '-1' }]);
    const text = JSON.stringify(lines);
    for (const secret of [PASSWORD, body.password, jwt, apiKey.key]) expect(text).not.toContain(secret);
    client.close();
  });

  it('writes one line for a stream, when it begins', async () => {
    await server.ask('PUT', '/city', {});
    await server.ask('PUT', '/city/stations', {});
    const headers = { 'x-request-id': 'sse' };
    const reader = await EventReader.open(`${server.url}/city/stations/_subscribe`, { headers });
    expect(await lineOf('sse')).toMatchObject([{ protocol: 'sse', action: 'realtime:subscribe', status: 200 }]);
    reader.close();
  });

  it('has no lines for calls of the program and for health pages', async () => {
    await server.kernel.execute({ controller: 'server', action: 'now' });
    await server.ask('GET', '/livez');
    await server.ask('GET', '/_now', undefined, { 'x-request-id': 'last' });
    await lineOf('last');
    expect(lines).toHaveLength(1);
  });
});

function isLasting(protocol: string): protocol is (typeof PROTOCOLS)[number] {
  return (PROTOCOLS as readonly string[]).includes(protocol);
}
