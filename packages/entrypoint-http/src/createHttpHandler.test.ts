import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createHttpHandler } from './createHttpHandler.js';
import { FakeHost, testConfig } from './wire/openTestServer.test.support.js';

describe('createHttpHandler', () => {
  it('can be mounted into the server of another application, below a separate path', async () => {
    const handler = createHttpHandler(new FakeHost(), testConfig());
    const server = createServer((request, response) => {
      if (!request.url?.startsWith('/data/')) {
        response.end('the application');
        return;
      }
      request.url = request.url.slice('/data'.length);
      handler(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await (await fetch(`${base}/x`)).text()).toBe('the application');
    const response = await fetch(`${base}/data/a/b/c`, {
      method: 'PUT',
      body: '{"n":1}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await response.json()).toMatchObject({ action: 'createOrReplace', index: 'a' });
    server.close();
    server.closeAllConnections();
  });

  it('closes connections after their answer once the server around it is stopping', async () => {
    const handler = createHttpHandler(new FakeHost(), testConfig(), { isStopping: () => true });
    const server = createServer(handler);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/_now`);
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    server.close();
  });

  it('answers core.internal, and logs it, where the pipeline itself fails', async () => {
    const host = new FakeHost();
    const logged: string[] = [];
    host.log = { ...host.log, error: (_, message) => logged.push(message) };
    host.dispatch = () => Promise.reject(new Error('secret inner detail'));
    const server = createServer(createHttpHandler(host, testConfig()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/a/b/c?requestId=r`);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ requestId: 'r', action: 'get', index: 'a' });
    expect(text).not.toContain('secret');
    expect(logged).toEqual(['HTTP exchange failed']);
    server.close();
    server.closeAllConnections();
  });
});
