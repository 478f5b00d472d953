import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate, parser, type Packet } from 'mqtt-packet';
import { Chance, footprint, REQUESTS, SPICES } from '@millrace/wire-testing';
import { connect as connectPacket, malformedConnect, malformedPacket } from './malformedPackets.test.support.js';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

/** Number of cases; a release includes one run of 100,000. */
const CASE_COUNT = Number(process.env.MILLRACE_TEST_FUZZ_CASES ?? 500);
const BATCH_SIZE = 50;
// Longer counts as a hang.
const SETTLE_LIMIT_MS = 20_000;
const TOPICS = ['millrace', 'mqtt.x', '#', '+/+', '$SYS/#', '$share/a/b', 'a/'.repeat(120), '', 'a#b', '\0', 'é'];

let clientNumber = 0;
const newId = () => `fuzz-${clientNumber++}`;
const hello = (clientId: string): Packet => ({
  ...{ cmd: 'connect', clientId, protocolId: 'MQTT', protocolVersion: 4, clean: true },
  keepalive: 60,
});

/** A packet of any type with unusual content. */
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

/** The first outcome; `hang` if there is none. */
async function within<T>(outcomes: readonly Promise<T>[]): Promise<T | 'hang'> {
  let timer: NodeJS.Timeout | undefined;
  const hang = new Promise<'hang'>((resolve) => {
    timer = setTimeout(() => resolve('hang'), SETTLE_LIMIT_MS);
  });
  const outcome = await Promise.race([...outcomes, hang]);
  clearTimeout(timer);
  return outcome;
}

async function writeInPieces(socket: Socket, bytes: Buffer, chance: Chance): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const end = chance.below(2) === 0 ? bytes.length : at + 1 + chance.below(bytes.length - at);
    socket.write(bytes.subarray(at, end));
    at = end;
    if (at < bytes.length) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe(`PROTO-3: ${CASE_COUNT} fuzzed inputs over MQTT`, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await openTestServer();
  });
  afterAll(async () => {
    await server.close();
    // In long runs only: the number of cases by outcome.
    if (process.env.MILLRACE_TEST_FUZZ_CASES !== undefined) console.log(Object.fromEntries(tally));
  });
  /** Data from the server that the client could not parse. */
  const garbled: Error[] = [];
  const tally = new Map<string, number>();
  const count = (outcome: string) => tally.set(outcome, (tally.get(outcome) ?? 0) + 1);

  /** Opens a raw connection that collects the messages it receives. */
  function openRaw() {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    const messages: { readonly status: number; readonly requestId: string }[] = [];
    let look: () => void = () => undefined;
    let ponged: () => void = () => undefined;
    const pong = new Promise<'pong'>((resolve) => (ponged = () => resolve('pong')));
    let subscribed: () => void = () => undefined;
    const suback = new Promise<void>((resolve) => (subscribed = resolve));
    const reader = parser({ protocolVersion: 4 });
    reader.on('packet', (packet: Packet) => {
      if (packet.cmd === 'pingresp') ponged();
      if (packet.cmd === 'suback') subscribed();
      if (packet.cmd !== 'publish') return;
      messages.push(JSON.parse(packet.payload.toString()) as never);
      look();
    });
    reader.on('error', (error: Error) => garbled.push(error));
    socket.on('data', (chunk) => reader.parse(chunk));
    const closed = new Promise<'closed'>((resolve) => socket.once('close', () => resolve('closed')));
    const until = (count: number) =>
      new Promise<void>((resolve) => {
        look = () => (messages.length >= count ? resolve() : undefined);
        look();
      });
    return { socket, messages, closed, pong, suback, until };
  }

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
    expect(garbled).toEqual([]);
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
      count('answered');
      socket.destroy();
      await closed;
    });
  }, 1_800_000);

  it('odd and damaged packets are answered, or end their own connection alone', async () => {
    await run(2, async (chance) => {
      const clientId = newId();
      const { socket, messages, closed, suback } = openRaw();
      const packets = Array.from({ length: 1 + chance.below(5) }, () => anyPacket(chance, clientId));
      const isPolite = chance.below(4) > 0;
      if (isPolite) {
        const subscriptions = [{ topic: `mqtt.${clientId}`, qos: 0 as const }];
        const subscribe = generate({ cmd: 'subscribe', messageId: 1, subscriptions });
        socket.write(Buffer.concat([generate(hello(clientId)), subscribe]));
        await suback;
      }
      const start = isPolite ? Buffer.alloc(0) : chance.damage(generate(hello(clientId)));
      const sent = packets.map((packet) => (chance.below(2) === 0 ? packet : chance.damage(packet)));
      const all = Buffer.concat([start, ...sent]);
      const cut = chance.below(all.length);
      socket.write(all.subarray(0, cut));
      if (chance.below(3) === 0) await new Promise((resolve) => setImmediate(resolve));
      socket.end(all.subarray(cut));
      await closed;
      for (const { status } of messages) expect([200, 400, 413]).toContain(status);
      count(messages.length > 0 ? 'answered, closed' : 'closed');
    });
  }, 1_800_000);

  it('forbidden packets end the connection, too large messages are answered 413, the rest is served', async () => {
    await run(3, async (chance) => {
      const { socket, messages, closed, pong, suback } = openRaw();
      const clientId = newId();
      const isFirst = chance.below(3) === 0;
      const subscriptions = [{ topic: `mqtt.${clientId}`, qos: 0 as const }];
      const greeting = Buffer.concat([
        chance.below(2) === 0 ? connectPacket({ clientId }) : generate(hello(clientId)),
        generate({ cmd: 'subscribe', messageId: 1, subscriptions }),
      ]);
      const { name, bytes, outcome } = isFirst ? malformedConnect(chance) : malformedPacket(chance);
      // A client that doesn't wait for its acknowledgement may miss responses.
      const waits = outcome === 'tooLarge' || chance.below(2) === 0;
      if (!isFirst && waits) {
        socket.write(greeting);
        await suback;
      }
      // A packet that shows whether the connection continues.
      const after = outcome === 'halfDone' ? [] : [generate({ cmd: 'pingreq' })];
      const all = Buffer.concat([...(isFirst || waits ? [] : [greeting]), bytes, ...after]);
      await writeInPieces(socket, all, chance);
      if (outcome === 'halfDone') socket.end();
      const settled = await within<'closed' | 'pong'>([closed, pong]);
      const shown = `${name}: ${all.toString('hex')}`;
      expect(settled, shown).not.toBe('hang');
      if (outcome !== 'settled') expect(settled, shown).toBe('closed');
      const statuses = messages.map(({ status }) => status);
      if (outcome === 'tooLarge') expect(statuses, shown).toEqual([413]);
      else for (const status of statuses) expect([200, 400], shown).toContain(status);
      count(`${statuses.length > 0 ? 'answered, ' : ''}${settled === 'pong' ? 'served on' : 'closed'}`);
      socket.destroy();
      await closed;
    });
  }, 1_800_000);
});
