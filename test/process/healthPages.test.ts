import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startKernel, type StartedKernel } from '../startKernel.js';

const REQUESTS = /^millrace_requests_total\{protocol="http",outcome="\w+"\} (\d+)$/gm;

describe('health pages of a server', () => {
  let server: StartedKernel;
  afterEach(() => server.close());

  it('HEALTH-1: answer from the start on, and are not counted', async () => {
    server = await startKernel();
    const counted = async () => {
      const { text } = await server.ask('GET', '/_metrics');
      return [...text.matchAll(REQUESTS)].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    await server.ask('GET', '/_now');
    const before = await counted();
    for (const page of ['/livez', '/readyz', '/startupz']) {
      expect((await server.ask('GET', page)).status).toBe(200);
    }
    // The request for the metrics themselves.
    expect(await counted()).toBe(before + 1);
  });

  it('HEALTH-1: answer below the path of a mount', async () => {
    server = await startKernel({ config: { http: { listen: false } } });
    const { request } = server.kernel.mount('/api');
    const outer = createServer((incoming, response) => request(incoming, response));
    await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(outer.address() as AddressInfo).port}`;
    const response = await fetch(`${url}/api/readyz`);
    expect([response.status, await response.text()]).toEqual([200, 'ready\n']);
    await server.kernel.stop();
    expect((await fetch(`${url}/api/readyz`)).status).toBe(503);
    outer.closeAllConnections();
    outer.close();
  });
});
