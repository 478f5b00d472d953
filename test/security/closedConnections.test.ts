import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { websocket } from '@millrace/protocol-websocket';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { connectFallback } from '../wire/clients/connectFallback.js';
import { connectMqtt } from '../wire/clients/connectMqtt.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';
import { BlockedQueue } from './BlockedQueue.js';

const CONNECTIONS = 4;
const SEARCHES_EACH = 60;
const HTTP_CONNECTIONS = 200;
// What runs already when the connections are closed.
const MOST_RUNNING = 50;

const CONNECT: Readonly<Record<string, (url: string, clientId: string) => Promise<MessageClient>>> = {
  websocket: connectWebsocket,
  fallback: connectFallback,
  mqtt: connectMqtt,
};

describe('waiting requests of a closed connection never run', () => {
  let queue: BlockedQueue;
  let server: StartedKernel;
  let addresses: ReadonlyMap<string, string>;

  beforeEach(async () => {
    queue = new BlockedQueue();
    server = await startKernel({
      plugins: [websocket(), fallback(), mqtt(), queue.plugin],
      config: { websocket: { port: 0 }, fallback: { port: 0 }, mqtt: { port: 0 } },
    });
    const listening = await server.kernel.start();
    addresses = new Map(listening.map(({ protocol, url }) => [protocol, url]));
  });
  afterEach(async () => {
    queue.release();
    await server.close();
  });

  /** Resolves once searches run and no more begin. */
  const untilBlocked = async () => {
    let before = 0;
    await expect
      .poll(
        () => {
          const isStill = queue.startedCount > 0 && queue.startedCount === before;
          before = queue.startedCount;
          return isStill;
        },
        { interval: 300 },
      )
      .toBe(true);
  };
  const expectDropped = async () => {
    // The server reads what arrived first first: the ends of connections before these requests.
    for (let n = 0; n < 10; n++) expect((await server.ask('GET', '/_now')).status).toBe(200);
    const { startedCount } = queue;
    expect(startedCount).toBeLessThan(MOST_RUNNING);
    queue.release();
    expect((await server.ask('POST', '/_probe')).status).toBe(200);
    expect(queue.startedCount).toBe(startedCount + 1);
  };

  it.each(Object.entries(CONNECT))('over %s', async (protocol, connectClient) => {
    const url = addresses.get(protocol) ?? '';
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => connectClient(url, `client${n}`)));
    for (const client of clients) {
      for (let n = 0; n < SEARCHES_EACH; n++) {
        void client.request({ controller: 'probe', action: 'search' });
      }
    }
    await untilBlocked();
    for (const client of clients) client.close();
    await expect.poll(() => queue.closedCount).toBe(CONNECTIONS);
    await expectDropped();
  });

  it('over HTTP', async () => {
    const { hostname, port } = new URL(server.url);
    const sockets = Array.from({ length: HTTP_CONNECTIONS }, () => connect(Number(port), hostname));
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      if (socket.connecting) await once(socket, 'connect');
      socket.write('POST /_probe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
    }
    await untilBlocked();
    const closed = sockets.map((socket) => once(socket, 'close'));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    await expectDropped();
  });
});
