import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chance, footprint, REQUESTS, SPICES } from '@millrace/wire-testing';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

const HANDSHAKE = [
  'GET / HTTP/1.1',
  'Host: x',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
  '\r\n',
].join('\r\n');
const HEAD_SPICES = [
  '\r\n',
  '\0',
  ' ',
  ':',
  'é',
  'websocket',
  '14',
  'Sec-WebSocket-Extensions: permessage-deflate; a=b\r\n',
  'Sec-WebSocket-Protocol: ,\r\n',
  'x'.repeat(20_000),
];
/** Number of cases; a release includes one run of 100,000. */
const CASE_COUNT = Number(process.env.MILLRACE_TEST_FUZZ_CASES ?? 500);
const BATCH_SIZE = 50;

/** A masked client frame (RFC 6455 section 5.2). */
function frame(payload: Buffer, firstByte = 0x81): Buffer {
  const header =
    payload.length < 126
      ? Buffer.from([firstByte, 0x80 | payload.length])
      : Buffer.from([firstByte, 0xfe, payload.length >> 8, payload.length & 0xff]);
  const mask = Buffer.from([1, 2, 3, 4]);
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] as number));
  return Buffer.concat([header, mask, masked]);
}

/** The strings in the complete frames sent by a server. */
function readTexts(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    const short = bytes[at + 1] as number;
    const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    if (start > bytes.length) break;
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6);
    if (start + length > bytes.length) break;
    if (bytes[at] === 0x81) texts.push(bytes.toString('utf8', start, start + length));
    at = start + length;
  }
  return texts;
}

/** A raw connection after its handshake. */
async function openRaw(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  let received = Buffer.alloc(0);
  let look: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(HANDSHAKE);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    look();
  });
  return {
    socket,
    /** The strings received until the socket closed, or until `count` is reached. */
    texts: async (count = Infinity): Promise<string[]> => {
      const enough = new Promise<void>((resolve) => {
        look = () => (readTexts(received).length >= count ? resolve() : undefined);
        look();
      });
      await Promise.race([closed, enough]);
      return readTexts(received);
    },
  };
}

describe(`PROTO-3: ${CASE_COUNT} fuzzed inputs over WebSocket`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await openTestServer();
  });
  afterAll(() => server.close());

  /** Runs a third of the cases in batches, with a bystander that must be served after each batch. */
  async function run(seed: number, oneCase: (chance: Chance) => Promise<void>): Promise<void> {
    const chance = new Chance(seed);
    const bystander = await server.connect();
    const before = footprint();
    for (let done = 0; done < CASE_COUNT / 3; done += BATCH_SIZE) {
      await Promise.all(Array.from({ length: BATCH_SIZE }, () => oneCase(chance)));
      expect((await bystander.request({ body: { done } })).result).toEqual({ done });
      // Recorded requests would look like a leak.
      server.host.dispatched.length = 0;
    }
    await expect.poll(() => server.host.open.size, { timeout: 10_000 }).toBe(1);
    const after = footprint();
    expect(after.descriptors - before.descriptors).toBeLessThanOrEqual(60);
    expect(after.rssBytes - before.rssBytes).toBeLessThan(268_435_456);
    bystander.socket.terminate();
    await expect.poll(() => server.host.open.size).toBe(0);
  }

  it('mutated requests are answered 200 or 400 each, and a valid one after them as well', async () => {
    await run(1, async (chance) => {
      const text = chance.mutate(chance.pick(REQUESTS), SPICES);
      const { socket, texts } = await openRaw(server.port);
      socket.write(frame(Buffer.from(text)));
      const last = '{"controller":"server","action":"echo","requestId":"last"}';
      socket.write(frame(Buffer.from(last)));
      const answers = (await texts(2)).map((answer) => JSON.parse(answer) as { status: number });
      socket.destroy();
      expect(answers, text).toHaveLength(2);
      for (const { status } of answers) expect([200, 400], text).toContain(status);
      expect(answers.some((answer) => 'requestId' in answer && answer.requestId === 'last')).toBe(true);
    });
  }, 1_800_000);

  it('damaged frames are answered, or end their own connection alone', async () => {
    await run(2, async (chance) => {
      const { socket, texts } = await openRaw(server.port);
      const firstByte = chance.below(2) === 0 ? 0x81 : chance.below(256);
      const payload = Buffer.from(chance.pick(REQUESTS));
      const sent = chance.below(5) === 0 ? chance.bytes(1 + chance.below(300)) : frame(payload, firstByte);
      socket.end(Buffer.concat([chance.damage(sent), chance.damage(frame(payload))]));
      for (const text of await texts()) {
        const { status } = JSON.parse(text) as { status: number };
        expect([200, 400, 413], sent.toString('hex')).toContain(status);
      }
    });
  }, 1_800_000);

  it('mutated handshakes are refused or accepted, never more', async () => {
    await run(3, async (chance) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      const closed = new Promise((resolve) => socket.once('close', resolve));
      const sent = chance.mutate(HANDSHAKE, HEAD_SPICES);
      socket.end(Buffer.from(sent, 'latin1'));
      await closed;
      const answer = Buffer.concat(chunks).toString('latin1');
      expect(answer === '' || /^HTTP\/1\.1 (101|400|405|408|426|431) /.test(answer), `${sent} → ${answer}`).toBe(true);
    });
  }, 1_800_000);
});
