import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fallback } from '@millrace/protocol-fallback';
import { websocket } from '@millrace/protocol-websocket';
import { defineAction, definePlugin, route, silentLogger, type Plugin } from '@millrace/kernel';
import { Kernel } from '@millrace/server';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';

type MountedServer = Server & { readonly url: string };

describe('kernel.mount', () => {
  let folder = '';
  const kernels: Kernel[] = [];
  const servers: Server[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-mount-'));
  });
  afterEach(async () => {
    for (const kernel of kernels.splice(0)) await kernel.stop();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
    await rm(folder, { recursive: true, force: true });
  });

  const newKernel = (name = 'data', plugins: readonly Plugin[] = []): Kernel => {
    const config = { http: { listen: false }, server: { dataDir: join(folder, name) } };
    const kernel = new Kernel({ config, plugins, logger: silentLogger });
    kernels.push(kernel);
    return kernel;
  };
  const listen = async (listener: RequestListener): Promise<MountedServer> => {
    const server = createServer(listener);
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return Object.assign(server, { url: `http://127.0.0.1:${port}` });
  };
  const statusOf = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).status;
  const json = (body: unknown) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

  it('opens no port where nothing is to listen, and answers below its path alone', async () => {
    const kernel = newKernel('data', [websocket({ listen: false }), fallback({ listen: false })]);
    expect(await kernel.start()).toEqual([]);
    const { request } = kernel.mount('/api/v1/');
    const server = await listen((req, res) => request(req, res, () => res.end('the application')));
    expect(await (await fetch(`${server.url}/api/v1/_now`)).json()).toMatchObject({ status: 200 });
    // The root of the mount is the root of the server.
    expect(await (await fetch(`${server.url}/api/v1?pretty=1`)).json()).toMatchObject({
      error: null,
    });
    for (const path of ['/', '/_now', '/api', '/api/v10/_now', '/api/v1x'])
      expect(await (await fetch(`${server.url}${path}`)).text(), path).toBe('the application');
    const alone = await listen(request);
    expect(await statusOf(`${alone.url}/elsewhere`)).toBe(404);
    expect(await statusOf(`${alone.url}/api/v1/_now`)).toBe(200);
  });

  it('refuses a path that can be no prefix', () => {
    expect(() => newKernel().mount('/api/*')).toThrow(/mount path "\/api\/\*"/);
  });

  it('answers 503 before the start and after the stop, and serves again after another start', async () => {
    const kernel = newKernel('data', [websocket({ listen: false })]);
    const { request, upgrade } = kernel.mount();
    const server = await listen(request);
    server.on('upgrade', upgrade);
    const refused = async () => {
      const response = await fetch(`${server.url}/_now`);
      expect(response.headers.get('retry-after')).toBe('5');
      expect(await response.json()).toMatchObject({ status: 503, error: { id: 'core.stopping' } });
      const socket = new WebSocket(server.url.replace('http', 'ws'));
      expect(String((await once(socket, 'error'))[0])).toContain('503');
    };
    await refused();
    for (let round = 0; round < 2; round++) {
      await kernel.start();
      expect(await statusOf(`${server.url}/_now`)).toBe(200);
      await kernel.stop();
      await refused();
    }
  });

  it('takes a body that the application has read already, under the same rules', async () => {
    const kernel = newKernel();
    await kernel.start();
    const { request } = kernel.mount();
    let parse: (bytes: Buffer) => unknown = (bytes) => JSON.parse(bytes.toString());
    const server = await listen((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        if (chunks.length > 0) Object.assign(req, { body: parse(Buffer.concat(chunks)) });
        request(req, res);
      });
    });
    const create = () => statusOf(`${server.url}/library/books/_create`, json({ title: 'Emma' }));
    expect(await create()).toBe(200);
    parse = (bytes) => bytes;
    expect(await create()).toBe(200);
    parse = (bytes) => bytes.toString();
    expect(await create()).toBe(200);
    parse = () => 'no {JSON';
    expect(await create()).toBe(400);
    parse = () => ({ title: 'x'.repeat(2 ** 20) });
    expect(await create()).toBe(413);
    parse = () => [1];
    expect(await create()).toBe(400);
    parse = () => undefined;
    const lost = await fetch(`${server.url}/library/books/_create`, json({ title: 'Emma' }));
    expect(await lost.json()).toMatchObject({
      status: 400,
      error: {
        id: 'api.invalid_request',
        message: expect.stringContaining('body parser') as string,
      },
    });
    expect(await statusOf(`${server.url}/library/books/_count`, { method: 'POST' })).toBe(200);
  });

  it('leaves the go-ahead for a body to the server of the application', async () => {
    const kernel = newKernel();
    await kernel.start();
    const server = await listen(kernel.mount().request);
    const headers = { 'content-type': 'application/json', expect: '100-continue' };
    const request = httpRequest(`${server.url}/library/books/_create`, { method: 'POST', headers });
    let continued = 0;
    request.on('continue', () => {
      continued++;
      request.end('{"title":"Emma"}');
    });
    request.flushHeaders();
    const [response] = (await once(request, 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect([response.statusCode, continued]).toEqual([200, 1]);
  });

  it('shares one server between the protocols: HTTP, WebSocket and the fallback by long polling', async () => {
    const kernel = newKernel('data', [websocket({ listen: false }), fallback({ listen: false })]);
    await kernel.start();
    const { request, upgrade } = kernel.mount('/api');
    const server = await listen((req, res) => request(req, res, () => res.end('the application')));
    server.on('upgrade', upgrade);
    const now = (requestId: string) => ({ controller: 'server', action: 'now', requestId });

    for (const transports of [['polling'], ['websocket']]) {
      const client = io(server.url, { path: '/api/socket.io', transports, forceNew: true });
      await new Promise<void>((resolve, reject) => {
        client.on('connect', resolve);
        client.on('connect_error', reject);
      });
      const answer = new Promise((resolve) => client.on('f1', resolve));
      client.emit('millrace', now('f1'));
      expect(await answer, transports[0]).toMatchObject({ status: 200, requestId: 'f1' });
      client.disconnect();
    }
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/api`);
    await once(socket, 'open');
    socket.send(JSON.stringify(now('w1')));
    const [data] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(data.toString())).toMatchObject({ status: 200, room: 'w1' });

    const polling = io(server.url, {
      path: '/api/socket.io',
      transports: ['polling'],
      forceNew: true,
    });
    await new Promise<void>((resolve) => polling.on('connect', resolve));
    const gone = [once(socket, 'close'), new Promise((resolve) => polling.on('disconnect', resolve))];
    await kernel.stop();
    await Promise.all(gone);
    polling.close();
    // The server is the application's: it goes on.
    expect(await (await fetch(server.url)).text()).toBe('the application');
  });

  it('lets a running request answer when it stops, and leaves the connections of the application alone', async () => {
    let finish: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (begun = resolve));
    const slow = definePlugin({
      name: 'slow',
      kernel: '^0.1.0',
      setup: (host) =>
        host.controller([
          defineAction({
            controller: 'slow',
            action: 'wait',
            summary: 'Waits.',
            routes: [route('GET /_slow')],
            args: {},
            writes: false,
            run: () => {
              begun();
              return new Promise((resolve) => (finish = () => resolve('done')));
            },
          }),
        ]),
    });
    const kernel = newKernel('data', [slow]);
    await kernel.start();
    const { request } = kernel.mount('/api');
    const server = await listen((req, res) => request(req, res, () => res.end('the application')));
    const answer = fetch(`${server.url}/api/_slow`);
    await running;
    let isStopped = false;
    const stopped = kernel.stop().then(() => (isStopped = true));
    expect(await statusOf(`${server.url}/api/_now`)).toBe(503);
    expect(await (await fetch(server.url)).text()).toBe('the application');
    expect(isStopped).toBe(false);
    finish();
    expect(await (await answer).json()).toMatchObject({ status: 200, result: 'done' });
    await stopped;
  });

  it('puts two kernels on one server, each with its own data', async () => {
    const [one, two] = [newKernel('one'), newKernel('two')];
    await Promise.all([one.start(), two.start()]);
    const [atOne, atTwo] = [one.mount('/one'), two.mount('/two')];
    const server = await listen((req, res) =>
      atOne.request(req, res, () => atTwo.request(req, res, () => res.end('neither'))),
    );
    expect(await statusOf(`${server.url}/one/mine`, { method: 'PUT' })).toBe(200);
    const exists = async (at: string) =>
      ((await (await fetch(`${server.url}/${at}/mine/_exists`)).json()) as { result: unknown }).result;
    expect([await exists('one'), await exists('two')]).toEqual([true, false]);
    expect(await (await fetch(server.url)).text()).toBe('neither');
  });

  it('touches nothing of the process: no signals, no handlers of last resort, no globals', async () => {
    const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection'];
    const seen = () => [
      ...events.map((event) => process.listenerCount(event)),
      Object.getOwnPropertyNames(globalThis).sort().join(),
      process.cwd(),
      process.exitCode,
    ];
    const before = seen();
    const kernel = newKernel('data', [websocket({ listen: false }), fallback({ listen: false })]);
    await kernel.start();
    expect(seen()).toEqual(before);
    await kernel.execute({ controller: 'index', action: 'create', index: 'mine' });
    await kernel.stop();
    expect(seen()).toEqual(before);
  });
});
