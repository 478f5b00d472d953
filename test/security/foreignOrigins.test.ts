/*
 * Pages of foreign sites and an open server (SEC-4): every
 * protocol that browsers speak, on its own port and mounted in another application. A real browser does the same in
 * test/browser/foreignPage.test.ts.
 */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { localAuth } from '@millrace/auth-local';
import type { JsonObject } from '@millrace/kernel';
import { fallback } from '@millrace/protocol-fallback';
import { websocket } from '@millrace/protocol-websocket';
import { io } from 'socket.io-client';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startKernel, type StartedKernel } from '../startKernel.js';

type Headers = Readonly<Record<string, string>>;

const EVIL = 'http://evil.example';
const PAGE = 'http://localhost:5173';
const OWN_ADDRESS = Object.values(networkInterfaces())
  .flatMap((entries) => entries ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** By `node:http`: fetch sets Host and Sec-Fetch-* itself. */
function send(url: string, method: string, headers: Headers = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** What a WebSocket handshake is answered: 101 or the status of the refusal, and its body. */
function handshake(url: string, headers: Headers): Promise<Pick<Answer, 'status' | 'text'>> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { headers });
    socket.on('error', () => undefined);
    socket.on('open', () => {
      socket.terminate();
      resolve({ status: 101, text: '' });
    });
    socket.on('unexpected-response', (_, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
  });
}

/** How a socket.io client fares: `connected`, or the error of its transport. */
function joinRoom(url: string, path: string, transport: string, extraHeaders: Headers) {
  const options = { path, transports: [transport], extraHeaders, forceNew: true };
  const client = io(url, { ...options, reconnection: false });
  return new Promise<string>((resolve) => {
    client.on('connect', () => resolve('connected'));
    client.on('connect_error', (error) => resolve(error.message));
  }).finally(() => client.disconnect());
}

describe('a page of a foreign site', () => {
  let started: StartedKernel;
  const addresses = new Map<string, string>();
  const open = async (config: JsonObject = {}) => {
    const plugins = [localAuth(), websocket({ port: 0 }), fallback({ port: 0 })];
    started = await startKernel({ config: { http: { port: 0 }, ...config }, plugins });
    for (const { protocol, url } of await started.kernel.start()) addresses.set(protocol, url);
  };
  const url = (protocol: string) => addresses.get(protocol) ?? '';
  const lock = async () => {
    const made = await started.ask('POST', '/_createFirstAdmin', {
      _id: 'root',
      password: 'A-long-one-of-mine',
    });
    expect(made.status).toBe(200);
  };
  afterEach(async () => {
    await started.close();
  });

  it('is refused on an open server by an envelope that it cannot read', async () => {
    await open();
    const create = `${url('http')}/library/books/_create`;
    const json = { 'content-type': 'application/json' };
    for (const headers of [
      { origin: EVIL },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { host: 'rebind.evil.example' },
      { host: 'rebind.evil.example', origin: 'http://rebind.evil.example' },
    ] as Headers[]) {
      const answer = await send(create, 'POST', { ...json, ...headers }, '{"title":"Emma"}');
      expect([answer.status, JSON.parse(answer.text)], JSON.stringify(headers)).toEqual([
        403,
        expect.objectContaining({
          status: 403,
          state: 'done',
          error: expect.objectContaining({ id: 'security.origin_refused' }) as object,
        }),
      ]);
      expect(answer.text).toContain('_createFirstAdmin');
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect((await started.ask('GET', '/_list')).body.result).toEqual({
      hits: [],
      indexes: [],
      total: 0,
    });
  });

  it('gets no preflight, so it cannot send other methods and headers', async () => {
    await open();
    const headers = { origin: EVIL, 'access-control-request-method': 'DELETE' };
    const refused = await send(`${url('http')}/library`, 'OPTIONS', headers);
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    expect(refused.headers['access-control-allow-methods']).toBeUndefined();
    const allowed = await send(`${url('http')}/library`, 'OPTIONS', { ...headers, origin: PAGE });
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([204, '*']);
  });

  it('can link to the server, and embed nothing of it', async () => {
    await open();
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const status = async (method: string, headers: Headers) =>
      (await send(`${url('http')}/_now`, method, headers)).status;
    expect(await status('GET', { ...link, 'sec-fetch-dest': 'document' })).toBe(200);
    expect(await status('GET', { ...link, 'sec-fetch-dest': 'iframe' })).toBe(403);
    expect(await status('POST', { ...link, origin: EVIL })).toBe(403);
  });

  it('is refused at the WebSocket upgrade and by socket.io, polling too', async () => {
    await open();
    const refused = await handshake(url('websocket'), { origin: EVIL });
    expect([refused.status, (JSON.parse(refused.text) as { error: object }).error]).toEqual([
      403,
      expect.objectContaining({ id: 'security.origin_refused', status: 403 }),
    ]);
    expect((await handshake(url('websocket'), { host: 'rebind.evil.example' })).status).toBe(403);
    const socketIo = `${url('fallback')}/socket.io/?EIO=4&transport=`;
    for (const headers of [{ origin: EVIL }, { host: 'evil.example' }] as Headers[]) {
      const poll = await send(`${socketIo}polling`, 'GET', headers);
      expect([poll.status, poll.headers['access-control-allow-origin']]).toEqual([403, undefined]);
      expect(poll.text).toContain('security.origin_refused');
      const upgrade = await handshake(`${socketIo.replace('http', 'ws')}websocket`, headers);
      expect(upgrade.status).toBe(403);
    }
    const script = await send(`${socketIo}polling&j=0`, 'GET', { 'sec-fetch-site': 'cross-site' });
    expect(script.status).toBe(403);
    // Not only at the handshake: the session of another client is out of reach as well.
    const { text } = await send(`${socketIo}polling`, 'GET');
    const { sid } = JSON.parse(text.slice(1)) as { sid: string };
    expect((await send(`${socketIo}polling&sid=${sid}`, 'POST', { origin: EVIL }, '40')).status).toBe(403);
    expect((await send(`${socketIo}polling&sid=${sid}`, 'POST', { origin: PAGE }, '40')).status).toBe(200);
  });

  it('of this machine, and programs, use every protocol', async () => {
    await open();
    for (const headers of [{ origin: PAGE }, {}] as Headers[]) {
      const answer = await send(`${url('http')}/_now`, 'GET', headers);
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*']);
      expect((await handshake(url('websocket'), headers)).status).toBe(101);
      for (const transport of ['polling', 'websocket'])
        expect(await joinRoom(url('fallback'), '/socket.io', transport, headers)).toBe('connected');
    }
  });

  it('may use the server once it has an administrator, on every protocol', async () => {
    await open();
    await lock();
    const headers = { origin: EVIL, host: 'data.example' };
    const answer = await send(`${url('http')}/_now`, 'GET', headers);
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect((await handshake(url('websocket'), headers)).status).toBe(101);
    for (const transport of ['polling', 'websocket'])
      expect(await joinRoom(url('fallback'), '/socket.io', transport, { origin: EVIL })).toBe('connected');
  });

  it('may use a server that is closed from the start, as in production', async () => {
    await open({ security: { openUntilFirstAdmin: false } });
    expect((await send(`${url('http')}/_healthCheck`, 'GET', { origin: EVIL })).status).toBe(200);
  });

  it('of a host in http.allowedHosts is let in', async () => {
    await open({ http: { port: 0, allowedHosts: 'data.example' } });
    const status = async (headers: Headers) => (await send(`${url('http')}/_now`, 'GET', headers)).status;
    expect(await status({ host: 'data.example', origin: 'https://data.example' })).toBe(200);
    expect(await status({ host: 'data.example', origin: EVIL })).toBe(403);
    expect(await status({ host: 'other.example' })).toBe(403);
  });

  it.skipIf(OWN_ADDRESS === undefined)('and programs reach it by an address of the machine', async () => {
    await open();
    expect((await send(`${url('http')}/_now`, 'GET', { host: `${OWN_ADDRESS}:7511` })).status).toBe(200);
  });

  it('a page that websocket.cors.origin and fallback.cors.origin do not list opens no WebSocket, locked or not', async () => {
    const cors = { origin: ['https://app.example', PAGE] };
    await open({ websocket: { cors }, fallback: { cors } });
    const socketIo = `${url('fallback').replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`;
    const statuses = async (headers: Headers) => [
      (await handshake(url('websocket'), headers)).status,
      (await handshake(socketIo, headers)).status,
    ];
    expect(await statuses({ origin: 'http://localhost:1' })).toEqual([403, 403]);
    expect(await statuses({ origin: PAGE })).toEqual([101, 101]);
    await lock();
    expect(await statuses({ origin: EVIL })).toEqual([403, 403]);
    expect(await statuses({ origin: 'https://app.example' })).toEqual([101, 101]);
    expect(await statuses({})).toEqual([101, 101]);
    const refused = await handshake(url('websocket'), { origin: EVIL });
    expect(refused.text).toContain(`websocket.cors.origin doesn't list \\"${EVIL}\\"`);
  });

  it('is refused where the server is mounted in another application', async () => {
    const http = { listen: false };
    await open({ http, websocket: http, fallback: http });
    const { request, upgrade } = started.kernel.mount('/api');
    const server = createServer((req, res) => request(req, res, () => res.end('the application')));
    server.on('upgrade', upgrade);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const statuses = async (headers: Headers) => [
      (await send(`http://${at}/api/_now`, 'GET', headers)).status,
      (await handshake(`ws://${at}/api`, headers)).status,
      (await handshake(`ws://${at}/api/socket.io/?EIO=4&transport=websocket`, headers)).status,
    ];
    expect(await statuses({ origin: EVIL })).toEqual([403, 403, 403]);
    expect(await statuses({ host: 'rebind.evil.example' })).toEqual([403, 403, 403]);
    expect(await statuses({ origin: PAGE })).toEqual([200, 101, 101]);
    expect(await joinRoom(`http://${at}`, '/api/socket.io', 'polling', { origin: EVIL })).not.toBe('connected');
    expect(await joinRoom(`http://${at}`, '/api/socket.io', 'polling', { origin: PAGE })).toBe('connected');
    // What is not below the mount belongs to the application.
    expect((await send(`http://${at}/`, 'GET', { origin: EVIL })).text).toBe('the application');
    server.closeAllConnections();
    server.close();
  });
});
