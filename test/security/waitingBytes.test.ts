import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { websocket } from '@millrace/protocol-websocket';
import { BlockedQueue } from './BlockedQueue.js';
import { startSecured, type SecuredServer } from './securedServer.js';

const MESSAGE_BYTES = 1_000_000;
const CONNECTIONS = 8;
const MESSAGES_EACH = 60;
// Bounds that the server may keep below: requests that wait, and what the socket buffers of both sides take.
const MAX_HELD_BYTES_PER_CONNECTION = 16 * 1_048_576;
const MAX_HELD_BYTES = 96 * 1_048_576;

describe('requests that wait are bounded in bytes', () => {
  let queue: BlockedQueue;
  let server: SecuredServer;
  let port: number;
  beforeAll(async () => {
    queue = new BlockedQueue();
    server = await startSecured({ websocket: { port: 0 } }, { plugins: [websocket(), queue.plugin] });
    const addresses = await server.started.kernel.start();
    const { url = '' } = addresses.find(({ protocol }) => protocol === 'websocket') ?? {};
    port = Number(new URL(url).port);
  });
  afterAll(async () => {
    queue.release();
    await server.close();
  });

  it('a server reads no more of a connection, or refuses, before its waiting requests take many bytes', async () => {
    const message = frameOf({
      controller: 'probe',
      action: 'search',
      jwt: server.adminJwt,
      body: { junk: 'j'.repeat(MESSAGE_BYTES) },
    });
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => openSocket(port)));
    try {
      for (const client of clients) void sendMany(client, message);
      await untilStill(clients);
      const heldBytes = clients.map(({ socket, takenCount, refusedCount }) =>
        socket.destroyed ? 0 : (takenCount - refusedCount) * message.length,
      );
      expect(Math.max(...heldBytes)).toBeLessThan(MAX_HELD_BYTES_PER_CONNECTION);
      expect(heldBytes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(MAX_HELD_BYTES);
    } finally {
      for (const { socket } of clients) socket.destroy();
    }
  });

  it('other clients are answered meanwhile', async () => {
    expect((await server.http('GET', '/_now')).status).toBe(200);
    expect((await server.http('GET', '/users/_me')).status).toBe(200);
  });
});

interface Client {
  readonly socket: Socket;
  takenCount: number;
  refusedCount: number;
}

/** A WebSocket without the library, so that what the socket has sent can be counted. */
async function openSocket(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    'GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [head] = (await once(socket, 'data')) as [Buffer];
  if (!head.toString().startsWith('HTTP/1.1 101')) throw new Error(head.toString());
  const client: Client = { socket, takenCount: 0, refusedCount: 0 };
  socket.on('data', (chunk: Buffer) => {
    client.refusedCount += chunk.toString('latin1').split('"status":').length - 1;
  });
  return client;
}

/** One message after the other, each once the socket has taken the one before it. */
async function sendMany(client: Client, message: Buffer): Promise<void> {
  const { socket } = client;
  for (let n = 0; n < MESSAGES_EACH && !socket.destroyed; n++) {
    await new Promise((resolve) => socket.write(message, resolve));
    client.takenCount++;
  }
}

/** Resolves once no client's socket has taken more for a second. */
async function untilStill(clients: readonly Client[]): Promise<void> {
  const taken = () => clients.map(({ takenCount }) => takenCount).join();
  let before = '';
  while (before !== taken()) {
    before = taken();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** A masked text frame with the mask 0. */
function frameOf(message: object): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}
