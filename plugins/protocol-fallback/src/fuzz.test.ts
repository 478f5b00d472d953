import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Chance, footprint, REQUESTS, SPICES } from './Chance.test.support.js';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

/** How many cases to run: one run of 100,000 is part of a release. */
const CASE_COUNT = Number(process.env.MILLRACE_FUZZ_CASES ?? 2_000);
const BATCH_SIZE = 25;
// Packets of socket.io (2 = event, 5 = binary event …) and of its engine around them.
const PACKETS: readonly string[] = [
  ...[
    '40',
    '41',
    '42["millrace"]',
    '42["millrace",{}]',
    '421["millrace",{"controller":"server"}]',
    '43[1]',
    '44{}',
  ],
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
  ...[
    'EIO=4&transport=polling',
    'EIO=3&transport=polling',
    'EIO=5&transport=polling',
    'EIO=4&transport=websocket',
  ],
  ...[
    'EIO=4&transport=__proto__',
    'EIO=4&transport=polling&sid=constructor',
    'EIO=4&transport=polling&j=%00',
    'sid[]=1',
    't=%',
  ],
];

/** Status and text of an answer; 0 where the connection was closed instead. */
async function ask(url: string, body?: string): Promise<readonly [status: number, text: string]> {
  const headers = { connection: 'close' };
  try {
    const response = await fetch(
      url,
      body === undefined ? { headers } : { method: 'POST', body, headers },
    );
    return [response.status, await response.text()];
  } catch {
    return [0, ''];
  }
}

type Answer = readonly [
  event: string,
  message: { readonly status: number; readonly requestId: string },
];

describe(`reliability.md B1: ${CASE_COUNT} fuzzed inputs over socket.io`, () => {
  let server: TestServer;
  beforeAll(async () => {
    // Sessions of the engine that nobody ends are over after two intervals.
    server = await openTestServer({ keepAliveMs: 2_000 });
  });
  afterAll(() => server.close());

  /** A connection of the engine's version 3 or 4, past its handshake, and the responses that it gets. */
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

  /** Runs a third of the cases in batches, with a bystander that must be served after each. */
  async function run(seed: number, oneCase: (chance: Chance) => Promise<void>): Promise<void> {
    const chance = new Chance(seed);
    const bystander = await server.connect({ transports: ['websocket'] });
    const before = footprint();
    for (let done = 0; done < CASE_COUNT / 3; done += BATCH_SIZE) {
      await Promise.all(Array.from({ length: BATCH_SIZE }, () => oneCase(chance)));
      expect((await bystander.request({ body: { done } })).result).toEqual({ done });
      // Kept requests would look like a leak.
      server.host.dispatched.length = 0;
    }
    await expect.poll(() => server.host.open.size, { timeout: 10_000 }).toBe(1);
    const after = footprint();
    expect(after.descriptors - before.descriptors).toBeLessThanOrEqual(60);
    expect(after.rssBytes - before.rssBytes).toBeLessThan(268_435_456);
    bystander.socket.disconnect();
    await expect.poll(() => server.host.open.size).toBe(0);
  }

  it('mutated requests are answered 200 or 400, or end their own connection where they are no JSON', async () => {
    await run(1, async (chance) => {
      const { socket, answers, closed, until } = await openRaw(chance.pick([3, 4] as const));
      const text = chance.mutate(chance.pick(REQUESTS), SPICES);
      socket.send(`42["millrace",${text}]`);
      socket.send('42["millrace",{"controller":"server","action":"echo","requestId":"last"}]');
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
      socket.terminate();
      await closed;
    });
  }, 1_800_000);

  it('odd packets are answered, or end their own connection alone', async () => {
    await run(2, async (chance) => {
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
    });
  }, 1_800_000);

  it('odd polls are answered below 500', async () => {
    await run(3, async (chance) => {
      const query =
        chance.below(2) === 0
          ? chance.pick(PATHS)
          : chance.mutate(chance.pick(PATHS), ['%', '&', '=', '#', '%zz', 'x'.repeat(9_000)]);
      const body = chance.mutate(chance.pick(PACKETS), [...SPICES, '\x1e', '9999:', ':']);
      const url = `${server.url}/socket.io/?${query}`;
      const [status, text] = await ask(url);
      expect(status, query).toBeLessThan(500);
      const sid = /"sid":"([^"]+)"/.exec(text)?.[1];
      if (sid === undefined) return;
      const [answered] = await ask(`${url}&sid=${sid}`, body);
      expect(answered, body).toBeLessThan(500);
      // The engine's session ends with its own packet "1"; where it has ended already that is a 400.
      await ask(`${url}&sid=${sid}`, '1');
    });
  }, 1_800_000);
});
