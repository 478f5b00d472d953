import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Router } from '@koa/router';
import type { HttpMiddleware } from '@millrace/kernel';
import type Koa from 'koa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpHandler } from './createHttpHandler.js';
import { createMiddleware } from './createMiddleware.js';
import { FakeHost, testConfig } from './wire/openTestServer.test.support.js';

async function open(...middleware: readonly HttpMiddleware[]): Promise<string> {
  const host = new FakeHost();
  const handler = createHttpHandler(host, testConfig());
  const handle = await createMiddleware(middleware, host.log, handler);
  const server = createServer(handle);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('createMiddleware', () => {
  it('is the handler itself without any', async () => {
    const host = new FakeHost();
    const handler = createHttpHandler(host, testConfig());
    expect(await createMiddleware([], host.log, handler)).toBe(handler);
  });

  it('runs in order before the action, and continues when the answer is complete', async () => {
    const order: string[] = [];
    const url = await open(
      async (koa: Koa.Context, next: () => Promise<unknown>) => {
        koa.set('X-Served-By', 'first');
        order.push(`begin ${koa.path}`);
        await next();
        order.push(`end ${koa.res.statusCode}`);
      },
      (_: Koa.Context, next: () => Promise<unknown>) => {
        order.push('second');
        return next();
      },
    );
    const response = await fetch(`${url}/a/b/c`, {
      method: 'PUT',
      body: '{"n":1}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await response.json()).toMatchObject({ action: 'createOrReplace', index: 'a' });
    expect(response.headers.get('x-served-by')).toBe('first');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    await expect.poll(() => order).toEqual(['begin /a/b/c', 'second', 'end 200']);
  });

  const routes = (router: Router) => {
    router.get('/pages/:name', (koa) => {
      koa.body = `page ${koa.params.name}`;
    });
    router.get('/livez', (koa) => {
      koa.body = 'not a probe';
    });
  };
  const own = new Router();
  routes(own);

  it.each<[string, HttpMiddleware]>([
    ['added to a router', { routes }],
    ['of a router that the program brings', own.routes()],
  ])('routes %s answer themselves, but for probes', async (_, middleware) => {
    const url = await open(middleware);
    expect(await (await fetch(`${url}/pages/a`)).text()).toBe('page a');
    expect(await (await fetch(`${url}/livez`)).text()).toBe('alive\n');
    expect(await (await fetch(`${url}/_now`)).json()).toMatchObject({ action: 'now' });
  });

  it('is answered 500 without its message if it throws', async () => {
    const url = await open(() => {
      throw new Error('secret');
    });
    const response = await fetch(`${url}/_now`);
    expect([response.status, await response.text()]).toEqual([500, 'Internal Server Error']);
  });
});
