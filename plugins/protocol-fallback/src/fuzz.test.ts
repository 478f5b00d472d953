import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Chance, footprint, REQUESTS, SPICES } from '@millrace/wire-testing';
import { malformedPoll } from './malformedPolls.test.support.js';
import { openTestServer, testConfig, type TestServer } from './openTestServer.test.support.js';

/** Number of cases; a release includes one run of 100,000. */
const CASE_COUNT = Number(process.env.MILLRACE_TEST_FUZZ_CASES ?? 500);
const BATCH_SIZE = 25;
const LAST = '42["millrace",{"controller":"server","action":"echo","requestId":"last"}]';
// Packets of socket.io (2 = event, 5 = binary event …) inside packets of its engine.
const PACKETS: readonly string[] = [
  ...['40', '41', '42["millrace"]', '42["millrace",{}]', '421["millrace",{"controller":"server"}]', '43[1]', '44{}'],
  ...[
    '451-["millrace",{"_placeholder":true,"num":0}]',
    '46',
    '40/admin,{}',
    '42/admin,["millrace",{}]',
    '2',
    '3',
    '5',
    '6',
    '1',
  ],
  ...[
    '42["connect",{}]',
    '42["disconnect"]',
    '42[1,2]',
    '4299999999999999999999["millrace"]',
    '40//[,{"a":1}',
    'bAAAA',
    '4',
  ],
];
const PATHS: readonly string[] = [
  ...['EIO=4&transport=polling', 'EIO=3&transport=polling', 'EIO=5&transport=polling', 'EIO=4&transport=websocket'],
  ...[
    'EIO=4&transport=__proto__',
    'EIO=4&transport=polling&sid=constructor',
    'EIO=4&transport=polling&j=%00',
    'sid[]=1',
    't=%',
  ],
];

/** Status and body of a response; 0 if the connection was closed instead. */
async function ask(url: string, body?: string): Promise<readonly [status: number, text: string]> {
  const headers = { connection: 'close' };
  try {
    const response = await fetch(url, body === undefined ? { headers } : { method: 'POST', body, headers });
    return [response.status, await response.text()];
  } catch {
    return [0, ''];
  }
}

type Answer = readonly [event: string, message: { readonly status: number; readonly requestId: string }];

describe(`PROTO-3: ${CASE_COUNT} fuzzed inputs over socket.io`, () => {
  let server: TestServer;
  beforeAll(async () => {
    // The engine ends abandoned sessions after two intervals.
    server = await openTestServer({ keepAliveMs: 2_000 });
  });
  afterAll(async () => {
    await server.close();
    // In long runs only: the number of cases by outcome.
    if (process.env.MILLRACE_TEST_FUZZ_CASES !== undefined) console.log(Object.fromEntries(tally));
  });
  const tally = new Map<string, number>();
  const count = (outcome: string) => tally.set(outcome, (tally.get(outcome) ?? 0) + 1);

  /** A connection with engine version 3 or 4 after its handshake, and the responses it receives. */
  async function openRaw(version: 3 | 4) {
    const url = `${server.url.replace('http', 'ws')}/socket.io/?EIO=${version}&transport=websocket`;
    const socket = new WebSocket(url);
    socket.on('error', () => undefined);
    const answers: Answer[] = [];
    let look: () => void = () => undefined;
    const joined = new Promise<void>((resolve) => {
      socket.on('message', (data: Buffer) => {
        const text = data.toString();
        if (text.startsWith('0{') && version === 4) socket.send('40');
        if (text.startsWith('40')) resolve();
        if (text.startsWith('42')) answers.push(JSON.parse(text.slice(2)) as Answer);
        look();
      });
    });
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    await joined;
    const until = (count: number) =>
      new Promise<void>((resolve) => {
        look = () => (answers.length >= count ? resolve() : undefined);
        look();
      });
    return { socket, answers, closed, until };
  }

  /**
   * Runs a share of the cases in batches, with a bystander that must be served after each batch. Polls take ten times
   * as long.
   */
  async function run(share: number, seed: number, oneCase: (chance: Chance) => Promise<void>): Promise<void> {
    const chance = new Chance(seed);
    const bystander = await server.connect({ transports: ['websocket'] });
    const before = footprint();
    for (let done = 0; done < CASE_COUNT * share; done += BATCH_SIZE) {
      await Promise.all(Array.from({ length: BATCH_SIZE }, () => oneCase(chance)));
      expect((await bystander.request({ body: { done } })).result).toEqual({ done });
      // Recorded requests would look like a leak.
      server.host.dispatched.length = 0;
    }
    await expect.poll(() => server.host.open.size).toBe(1);
    const after = footprint();
    expect(after.descriptors - before.descriptors).toBeLessThanOrEqual(60);
    expect(after.rssBytes - before.rssBytes).toBeLessThan(268_435_456);
    bystander.socket.disconnect();
    await expect.poll(() => server.host.open.size).toBe(0);
  }

  it('mutated requests are answered 200 or 400, or end their own connection where they are no JSON', async () => {
    await run(0.3, 1, async (chance) => {
      const { socket, answers, closed, until } = await openRaw(chance.pick([3, 4] as const));
      const text = chance.mutate(chance.pick(REQUESTS), SPICES);
      socket.send(`42["millrace",${text}]`);
      socket.send(LAST);
      await Promise.race([until(2), closed]);
      for (const [event, message] of answers) {
        expect([200, 400], text).toContain(message.status);
        expect(message.requestId).toBe(event);
      }
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      if (isJson)
        expect(
          answers.map(([event]) => event),
          text,
        ).toContain('last');
      count(answers.length > 0 ? 'answered' : 'closed');
      socket.terminate();
      await closed;
    });
  }, 1_800_000);

  it('odd packets are answered, or end their own connection alone', async () => {
    await run(0.3, 2, async (chance) => {
      const { socket, answers, closed } = await openRaw(chance.pick([3, 4] as const));
      for (let count = 1 + chance.below(5); count > 0; count--) {
        const packet = chance.pick(PACKETS);
        const isBinary = chance.below(5) === 0;
        if (socket.readyState !== WebSocket.OPEN) break;
        if (isBinary) socket.send(chance.bytes(chance.below(100)));
        else socket.send(chance.below(2) === 0 ? packet : chance.mutate(packet, SPICES));
      }
      socket.close();
      await closed;
      for (const [, message] of answers) expect([200, 400, 413]).toContain(message?.status);
      count(answers.length > 0 ? 'answered, closed' : 'closed');
    });
  }, 1_800_000);

  it('odd polls are answered below 500', async () => {
    await run(0.1, 3, async (chance) => {
      const query =
        chance.below(2) === 0
          ? chance.pick(PATHS)
          : chance.mutate(chance.pick(PATHS), ['%', '&', '=', '#', '%zz', 'x'.repeat(9_000)]);
      const body = chance.mutate(chance.pick(PACKETS), [...SPICES, '\x1e', '9999:', ':']);
      const url = `${server.url}/socket.io/?${query}`;
      const [status, text] = await ask(url);
      expect(status, query).toBeLessThan(500);
      count(`poll: ${status}`);
      const sid = /"sid":"([^"]+)"/.exec(text)?.[1];
      if (sid === undefined) return;
      const [answered] = await ask(`${url}&sid=${sid}`, body);
      expect(answered, body).toBeLessThan(500);
      // The engine's packet "1" ends the session; if it has already ended the response is 400.
      await ask(`${url}&sid=${sid}`, '1');
    });
  }, 1_800_000);

  it('polls that the protocol forbids are answered as it says, and end their session where it says so', async () => {
    const { maxMessageBytes } = testConfig();
    await run(0.05, 4, async (chance) => {
      const url = `${server.url}/socket.io/?EIO=4&transport=polling`;
      const [, opened] = await ask(url);
      const sid = /"sid":"([^"]+)"/.exec(opened)?.[1] ?? '';
      await ask(`${url}&sid=${sid}`, '40');
      const [, joined] = await ask(`${url}&sid=${sid}`);
      expect(joined).toContain('40{');
      const { name, statuses, session, send } = malformedPoll(chance, maxMessageBytes);
      expect(statuses, name).toContain(await send({ port: server.port, url, sid }));
      if (session === 'told') {
        const [, told] = await ask(`${url}&sid=${sid}`);
        expect(told, name).toContain('"status":413');
      }
      let [status, answer] = await ask(`${url}&sid=${sid}`, LAST);
      // A poll may return a ping, and one poll returns the end of the session; only then has it ended.
      for (let polls = 0; polls < 4 && status === 200 && !answer.includes('"last"'); polls++) {
        [status, answer] = await ask(`${url}&sid=${sid}`);
      }
      expect(status, name).toBe(session === 'alive' ? 200 : 400);
      expect(answer.includes('"requestId":"last"'), name).toBe(session === 'alive');
      count(session === 'alive' ? 'refused, session goes on' : 'session ended');
      if (session === 'alive') await ask(`${url}&sid=${sid}`, '1');
    });
  }, 1_800_000);

  it('damaged frames of its WebSocket transport end their own connection alone', async () => {
    await run(0.25, 5, async (chance) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(
        'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
      );
      await new Promise((resolve) => socket.once('data', resolve));
      socket.resume();
      const frames = Array.from({ length: 1 + chance.below(4) }, () => {
        const frame = maskedFrame(Buffer.from(chance.pick(PACKETS)), chance);
        return chance.below(2) === 0 ? frame : chance.damage(frame);
      });
      socket.end(Buffer.concat([maskedFrame(Buffer.from('40'), chance), ...frames]));
      await closed;
      count('closed');
    });
  }, 1_800_000);
});

/** A client's frame (RFC 6455 section 5.2), occasionally not a text frame. */
function maskedFrame(payload: Buffer, chance: Chance): Buffer {
  const firstByte = chance.below(4) > 0 ? 0x81 : chance.below(256);
  const mask = chance.bytes(4);
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] as number));
  return Buffer.concat([Buffer.from([firstByte, 0x80 | payload.length]), mask, masked]);
}
