import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AEDES } from './AEDES.js';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

let server: TestServer;
let imported: { end(): void; fail(error: Error): void };

beforeEach(async () => {
  const gate = new Promise<void>((resolve, reject) => {
    imported = { end: resolve, fail: reject };
  });
  const { load } = AEDES;
  vi.spyOn(AEDES, 'load').mockImplementation(async () => {
    await gate;
    return load();
  });
  server = await openTestServer();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

describe('while the library is imported', () => {
  it('a client waits, and nothing that it has sent is lost', async () => {
    const connecting = server.connect({ clientId: 'early' });
    const socket = await server.dial();
    imported.end();
    const client = await connecting;
    expect(await client.request({ body: { n: 1 } })).toMatchObject({ status: 200 });
    socket.destroy();
  });

  it('clients that have left are forgotten', async () => {
    const socket = await server.dial();
    socket.destroy();
    imported.end();
    const client = await server.connect();
    expect((await client.request({})).status).toBe(200);
  });

  it('the server can stop', async () => {
    const socket = await server.dial();
    const stopped = server.protocol.stop();
    imported.end();
    await Promise.all([stopped, once(socket, 'close')]);
  });
});

it('closes clients where the library cannot be loaded, and can stop', async () => {
  const socket = await server.dial();
  imported.fail(new Error('broken'));
  await once(socket, 'close');
  await server.protocol.stop();
});
