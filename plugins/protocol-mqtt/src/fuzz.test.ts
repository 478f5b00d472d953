import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate, parser, type Packet } from 'mqtt-packet';
import { Chance, footprint, REQUESTS, SPICES } from './Chance.test.support.js';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

/** How many cases to run: one run of 100,000 is part of a release. */
const CASE_COUNT = Number(process.env.MILLRACE_FUZZ_CASES ?? 2_000);
const BATCH_SIZE = 50;
const TOPICS = [
  'millrace',
  'mqtt.x',
  '#',
  '+/+',
  '$SYS/#',
  '$share/a/b',
  'a/'.repeat(120),
  '',
  'a#b',
  '\0',
  'é',
];

let clientNumber = 0;
const newId = () => `fuzz-${clientNumber++}`;
const hello = (clientId: string): Packet => ({
  ...{ cmd: 'connect', clientId, protocolId: 'MQTT', protocolVersion: 4, clean: true },
  keepalive: 60,
});

/** A packet of any kind with odd contents. */
function anyPacket(chance: Chance, clientId: string): Buffer {
  const [topic, messageId] = [chance.pick(TOPICS), 1 + chance.below(9)];
  const qos = chance.below(3) as 0 | 1 | 2;
  const payload = chance.mutate(chance.pick(REQUESTS), SPICES);
  const flags = { dup: chance.below(2) === 0, retain: chance.below(2) === 0 };
  const will = { topic, payload: Buffer.from(payload.slice(0, 1_000)), qos, retain: true };
  const packets: readonly Packet[] = [
    { cmd: 'publish', topic: 'millrace', payload, qos, messageId, ...flags },
    { cmd: 'publish', topic, payload, qos, messageId, ...flags },
    {
      cmd: 'subscribe',
      messageId,
      subscriptions: TOPICS.map((name) => ({ topic: name || 'x', qos })),
    },
    { cmd: 'subscribe', messageId, subscriptions: [{ topic: `mqtt.${clientId}`, qos }] },
    { cmd: 'unsubscribe', messageId, unsubscriptions: [topic || 'x', `mqtt.${clientId}`] },
    { cmd: 'puback', messageId },
    { cmd: 'pubrec', messageId },
    { cmd: 'pubrel', messageId },
    { cmd: 'pubcomp', messageId },
    { cmd: 'pingreq' },
    { cmd: 'disconnect' },
    { ...hello(clientId), will } as Packet,
    { ...hello(''), username: 'jwt', password: Buffer.from('x') } as Packet,
  ];
  try {
    return generate(chance.pick(packets));
  } catch {
    // The library refuses to write some of these.
    return chance.bytes(1 + chance.below(200));
  }
}

describe(`reliability.md B1: ${CASE_COUNT} fuzzed inputs over MQTT`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await openTestServer();
  });
  afterAll(() => server.close());

  /** Opens a raw connection that collects the messages it is sent. */
  function openRaw() {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const messages: { readonly status: number; readonly requestId: string }[] = [];
    let look: () => void = () => undefined;
    const reader = parser({ protocolVersion: 4 });
    reader.on('packet', (packet: Packet) => {
      if (packet.cmd !== 'publish') return;
      messages.push(JSON.parse(packet.payload.toString()) as never);
      look();
    });
    reader.on('error', (error) => {
      throw error;
    });
    socket.on('data', (chunk) => reader.parse(chunk));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const until = (count: number) =>
      new Promise<void>((resolve) => {
        look = () => (messages.length >= count ? resolve() : undefined);
        look();
      });
    return { socket, messages, closed, until };
  }

  /** Runs half of the cases in batches, with a bystander that must be served after each. */
  async function run(seed: number, oneCase: (chance: Chance) => Promise<void>): Promise<void> {
    const chance = new Chance(seed);
    const bystander = await server.connect();
    const before = footprint();
    for (let done = 0; done < CASE_COUNT / 2; done += BATCH_SIZE) {
      await Promise.all(Array.from({ length: BATCH_SIZE }, () => oneCase(chance)));
      expect((await bystander.request({ body: { done } })).result).toEqual({ done });
      // Kept requests would look like a leak.
      server.host.dispatched.length = 0;
    }
    await expect.poll(() => server.host.open.size, { timeout: 10_000 }).toBe(1);
    const after = footprint();
    expect(after.descriptors - before.descriptors).toBeLessThanOrEqual(60);
    expect(after.rssBytes - before.rssBytes).toBeLessThan(268_435_456);
    bystander.socket.end(true);
    await expect.poll(() => server.host.open.size).toBe(0);
  }

  it('mutated requests are answered 200 or 400 each, and a valid one after them as well', async () => {
    await run(1, async (chance) => {
      const clientId = newId();
      const qos = chance.below(2) as 0 | 1;
      const publish = (payload: string, messageId: number): Packet => ({
        ...{
          cmd: 'publish',
          topic: 'millrace',
          payload,
          qos,
          messageId,
          dup: false,
          retain: false,
        },
      });
      const text = chance.mutate(chance.pick(REQUESTS), SPICES);
      const { socket, messages, closed, until } = openRaw();
      const subscriptions = [{ topic: `mqtt.${clientId}`, qos }];
      const last = '{"controller":"server","action":"echo","requestId":"last"}';
      const packets: readonly Packet[] = [
        hello(clientId),
        { cmd: 'subscribe', messageId: 1, subscriptions },
        publish(text, 2),
        publish(last, 3),
      ];
      socket.write(Buffer.concat(packets.map((packet) => generate(packet))));
      await Promise.race([until(2), closed]);
      expect(messages, text).toHaveLength(2);
      for (const { status } of messages) expect([200, 400], text).toContain(status);
      expect(messages.some(({ requestId }) => requestId === 'last')).toBe(true);
      socket.destroy();
      await closed;
    });
  }, 1_800_000);

  it('odd and damaged packets are answered, or end their own connection alone', async () => {
    await run(2, async (chance) => {
      const clientId = newId();
      const { socket, messages, closed } = openRaw();
      const packets = Array.from({ length: 1 + chance.below(5) }, () =>
        anyPacket(chance, clientId),
      );
      const isPolite = chance.below(4) > 0;
      const start = isPolite ? generate(hello(clientId)) : chance.damage(generate(hello(clientId)));
      const sent = packets.map((packet) =>
        chance.below(2) === 0 ? packet : chance.damage(packet),
      );
      const all = Buffer.concat([start, ...sent]);
      const cut = chance.below(all.length);
      socket.write(all.subarray(0, cut));
      if (chance.below(3) === 0) await new Promise((resolve) => setImmediate(resolve));
      socket.end(all.subarray(cut));
      await closed;
      for (const { status } of messages) expect([200, 400, 413]).toContain(status);
    });
  }, 1_800_000);
});
