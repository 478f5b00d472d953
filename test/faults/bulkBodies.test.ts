import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HalfRequest } from '../security/HalfRequest.js';
import { LockedProcess } from './LockedProcess.js';

const BODY_BYTES = 66_000_000;
/** What others are answered while a body is read: most of it in many turns of the event loop. */
const MIN_ANSWERS = 20;
const MAX_RSS_BYTES = 600_000_000;

describe('bodies of 63 MB neither hold the event loop nor fill the memory', () => {
  let server: LockedProcess;
  beforeEach(async () => {
    server = await LockedProcess.open();
    await server.call('PUT', '/own');
    await server.call('PUT', '/own/docs');
  });
  afterEach(() => server.close());

  it.each(['{}', '[]', '1.5', '{"a":1}'])(
    'a bulk body of %s again and again is refused by its number of items',
    async (item) => {
      const answer = post(server, '/own/docs/_bulk', bodyOf(item));
      const answered = await server.answersDuring(answer);
      const { status, text } = await answer;
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      const { message } = (JSON.parse(text) as { readonly error: { readonly message: string } }).error;
      expect(message).toMatch(/bulkData/);
      expect(message).toMatch(/\d[\d,]{3,}/);
      expect(answered).toBeGreaterThan(MIN_ANSWERS);
      expect((await server.memory()).peakBytes).toBeLessThan(MAX_RSS_BYTES);
    },
    90_000,
  );

  it('an import of 60 MB by an entitled user succeeds without holding the event loop', async () => {
    const line = `{"index":{}},{"text":"${'x'.repeat(5_900)}"}`;
    const body = Buffer.from(`{"bulkData":[${Array(10_000).fill(line).join(',')}]}`);
    const answer = post(server, '/own/docs/_bulk', body);
    const answered = await server.answersDuring(answer);
    expect((await answer).status).toBe(200);
    expect(answered).toBeGreaterThan(MIN_ANSWERS);
    const { result } = await server.call('POST', '/own/docs/_count', {});
    expect(result).toEqual({ count: 10_000 });
  });

  it.each(['anonymous', 'entitled'])(
    '40 half-sent bodies of an %s client hold less than 600 MB',
    async (who) => {
      const requests: HalfRequest[] = [];
      const headers = {
        'Content-Length': '66060288',
        ...(who === 'entitled' ? { Authorization: `Bearer ${server.adminJwt}` } : undefined),
      };
      try {
        for (let n = 0; n < 40; n++) {
          const request = await HalfRequest.open(server.url, '/own/docs/_bulk', headers);
          requests.push(request);
          await request.send(62, 200);
          // Before the machine's memory is full.
          if ((await server.memory()).rssBytes > 2 * MAX_RSS_BYTES) break;
        }
        expect((await server.memory()).peakBytes).toBeLessThan(MAX_RSS_BYTES);
        expect((await server.call('GET', '/_healthCheck')).status).toBe(200);
      } finally {
        for (const request of requests) request.close();
      }
    },
    90_000,
  );
});

function bodyOf(item: string): Buffer {
  const count = Math.floor((BODY_BYTES - 20) / (item.length + 1));
  return Buffer.from(`{"bulkData":[${`${item},`.repeat(count)}${item}]}`);
}

/** Sends the whole body whatever the server answers meanwhile; an answer before it ends is taken too. */
async function post(server: LockedProcess, path: string, body: Buffer) {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n` +
      `Authorization: Bearer ${server.adminJwt}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await once(socket, 'close');
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
  return { status, text: text.slice(text.indexOf('\r\n\r\n') + 4) };
}
