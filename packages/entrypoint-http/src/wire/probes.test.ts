import type { ReadyState } from '@millrace/kernel';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeHost, openTestServer, type TestServer } from './openTestServer.test.support.js';

class ProbedHost extends FakeHost {
  state: ReadyState = 'ready';
  readonly readiness = { hasStarted: false, check: () => Promise.resolve(this.state) };
}

describe('health pages', () => {
  let server: TestServer;
  const host = new ProbedHost();
  afterEach(() => server.close());

  it('HEALTH-1: answer with one word and dispatch nothing', async () => {
    server = await openTestServer({}, host);
    const { status, text, headers } = await server.send('GET', '/livez?verbose');
    expect([status, text, headers['content-type']]).toEqual([200, 'alive\n', 'text/plain; charset=utf-8']);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(await server.send('HEAD', '/livez')).toMatchObject({ status: 200, text: '' });
    expect(host.dispatched).toEqual([]);
  });

  it('HEALTH-2: /startupz is 503 until the server has started', async () => {
    server = await openTestServer({}, host);
    expect(await server.send('GET', '/startupz')).toMatchObject({
      status: 503,
      text: 'starting\n',
    });
    host.readiness.hasStarted = true;
    expect(await server.send('GET', '/startupz')).toMatchObject({ status: 200, text: 'started\n' });
  });

  it.each(['starting', 'stopping', 'storage', 'cluster'] as const)(
    'HEALTH-3: /readyz is 503 with the reason %s',
    async (state) => {
      server = await openTestServer({}, host);
      host.state = state;
      expect(await server.send('GET', '/readyz')).toMatchObject({
        status: 503,
        text: `${state}\n`,
      });
      host.state = 'ready';
      expect(await server.send('GET', '/readyz')).toMatchObject({ status: 200, text: 'ready\n' });
    },
  );

  it('HEALTH-4: /livez asks no service', async () => {
    const asked: string[] = [];
    const silent = new ProbedHost();
    silent.readiness.check = () => {
      asked.push('check');
      return new Promise(() => undefined);
    };
    server = await openTestServer({}, silent);
    expect((await server.send('GET', '/livez')).status).toBe(200);
    expect(asked).toEqual([]);
  });

  it('HEALTH-1: other methods and longer paths are requests', async () => {
    server = await openTestServer();
    expect((await server.send('POST', '/livez')).status).toBe(405);
    expect((await server.send('GET', '/livez/books/floss')).status).toBe(200);
  });

  it('HEALTH-1: closes the connection after a probe with a body, which it does not read', async () => {
    server = await openTestServer();
    const answer = await server.raw(
      'GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET /livez HTTP/1.1\r\nHost: a\r\n\r\n',
    );
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  });
});
