import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createClient } from '@millrace/client';
import { realtime } from '@millrace/client/realtime';
import { websocket } from '@millrace/protocol-websocket';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKernel, type StartedKernel } from '../../startKernel.js';

let server: StartedKernel;
beforeAll(async () => {
  server = await startKernel({ plugins: [websocket({ listen: false })] });
});
afterAll(() => server.close());

const NOW = 'GET /_now HTTP/1.1\r\nHost: 127.0.0.1\r\n';
const TO_HTTP2 = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\n';

/** A plain connection, and the text that has come so far. */
async function dial() {
  const socket: Socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const answers = () => text.match(/HTTP\/1\.1 \d+/g) ?? [];
  return { socket, answers, text: () => text };
}

/** Of the refusal of a handshake. */
function statusOf(socket: WebSocket): Promise<number | undefined> {
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
    socket.on('error', () => undefined);
  });
}

describe('PROTO-59: WebSocket on the HTTP port', () => {
  it('serves the client at the address of the HTTP port alone', async () => {
    const client = createClient(server.url).with(realtime({ WebSocket }));
    const books = client.collection('library', 'books');
    const events = books.subscribe()[Symbol.asyncIterator]();
    const first = events.next();
    await expect.poll(() => client.connection.state).toBe('open');
    await books.publish({ title: 'one port' });
    for (let event = await first; ; event = await events.next()) {
      if (event.done === true) throw new Error('the subscription ended');
      if (event.value.kind === 'message') break;
    }
    client.connection.close();
  });

  it('answers requests to upgrade to something else, or elsewhere, as if they had not asked', async () => {
    const { socket, answers, text } = await dial();
    socket.write(`${NOW}${TO_HTTP2}\r\n`);
    await expect.poll(answers).toEqual(['HTTP/1.1 200']);
    socket.write(`${NOW}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    await expect.poll(answers).toHaveLength(2);
    const body = JSON.stringify({ title: 'a' });
    const length = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(`POST /library/notes/_create HTTP/1.1\r\nHost: 127.0.0.1\r\n${TO_HTTP2}${length}\r\n\r\n`);
    socket.write(body.slice(0, 5));
    setTimeout(() => socket.write(`${body.slice(5)}${NOW}\r\n`), 50);
    await expect.poll(answers).toHaveLength(4);
    expect(answers()).toEqual(Array(4).fill('HTTP/1.1 200'));
    expect(text()).toContain('"title":"a"');
    socket.destroy();
  });

  it('ends a connection that asks for WebSocket among unanswered requests', async () => {
    const { socket, answers } = await dial();
    const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    const handshake = `GET /_ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`;
    const closed = once(socket, 'close');
    socket.write(`${NOW}\r\n${handshake}`);
    await closed;
    expect(answers()).not.toContain('HTTP/1.1 101');
  });

  it('counts its connections as those of the protocol, and ends them with the server', async () => {
    const own = await startKernel({ plugins: [websocket({ listen: false, maxConnections: 1 })] });
    const url = `${own.url.replace('http', 'ws')}/_ws`;
    const first = new WebSocket(url);
    await once(first, 'open');
    expect(await statusOf(new WebSocket(url))).toBe(503);
    expect((await own.ask('GET', '/_now')).status).toBe(200);
    const closed = once(first, 'close');
    await own.close();
    expect((await closed)[0]).toBe(1012);
  });

  it('takes no WebSocket where the path is empty', async () => {
    const own = await startKernel({ plugins: [websocket({ listen: false, path: '' })] });
    const socket = new WebSocket(`${own.url.replace('http', 'ws')}/_ws`);
    expect(await statusOf(socket)).toBe(404);
    await own.close();
  });
});
