import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

/** Pseudo-random numbers from 0 to 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const VALID = [
  'GET /_now?size=1&metadata=%7B%22a%22%3A1%7D HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer abc\r\n\r\n',
  'POST /a/b/_create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a":"b"}',
  'PUT /a/b/%5Fid HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n',
  'DELETE /ms/key?keys=a&keys=b HTTP/1.1\r\nHost: x\r\nX-Request-Id: 1\r\n\r\n',
];
const SPICES = [
  '\r\n',
  '\n',
  '\0',
  ' ',
  '%',
  '%zz',
  '%00',
  '/',
  '//',
  '..',
  '_',
  '?',
  '&',
  '=',
  '#',
  ':',
  '\t',
  'é',
  '\u00ff',
  '{"a":',
  '[[[[',
  'Content-Length: 5\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: websocket\r\nConnection: Upgrade\r\n',
  'Connection: close\r\n',
  'Host: y\r\n',
  'HTTP/1.0',
  'CONNECT a:1 ',
  'OPTIONS * ',
  '__proto__',
  'ffffffff\r\n',
  '-1',
];

describe('PROTO-33: fuzzed requests', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await openTestServer({ headersTimeoutMs: 1_000, requestTimeoutMs: 1_500 });
  });
  afterAll(() => server.close());

  it('2,000 of them are answered below 500 or closed, and others keep being served', async () => {
    const random = seeded(20_240_817);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const mutate = (text: string): Buffer => {
      let bytes = text;
      for (let count = 1 + Math.floor(random() * 3); count > 0; count--) {
        const at = Math.floor(random() * bytes.length);
        const cut = Math.floor(random() * 4);
        bytes = bytes.slice(0, at) + pick(SPICES) + bytes.slice(at + cut);
      }
      return Buffer.from(bytes, 'latin1');
    };
    const exchange = async (bytes: Buffer): Promise<string> => {
      const socket = await server.dial();
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      // Closes the sending side: incomplete data stays incomplete.
      socket.end(bytes);
      if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
      return Buffer.concat(chunks).toString('latin1');
    };
    let answered = 0;
    for (let round = 0; round < 40; round++) {
      const inputs = Array.from({ length: 50 }, () => mutate(pick(VALID)));
      const answers = await Promise.all(inputs.map(exchange));
      for (const [at, answer] of answers.entries()) {
        const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+) [A-Z]/g)].map(([, code]) => Number(code));
        if (statuses.length > 0) answered++;
        const shown = JSON.stringify(inputs[at]?.toString('latin1'));
        expect(
          statuses.filter((status) => status >= 500),
          shown,
        ).toEqual([]);
        expect(answer === '' || statuses.length > 0, shown).toBe(true);
      }
      expect((await server.send('GET', '/_now')).status).toBe(200);
    }
    // Only clients that announced more than they sent get no answer; they are the exception.
    expect(answered).toBeGreaterThan(1_500);
  });
});
