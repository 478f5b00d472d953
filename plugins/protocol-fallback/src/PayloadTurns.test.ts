import { afterEach, describe, expect, it } from 'vitest';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

const started: TestServer[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.close();
});

async function start(changes: Parameters<typeof openTestServer>[0] = {}): Promise<TestServer> {
  const server = await openTestServer(changes);
  started.push(server);
  return server;
}

/** A session that polls, of either version of the engine. */
async function openSession({ url }: TestServer, version: 3 | 4) {
  const address = `${url}/socket.io/?EIO=${version}&transport=polling`;
  const ask = async (query = '', body?: string | Buffer) => {
    const headers = { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/octet-stream' };
    const response = await fetch(address + query, body === undefined ? {} : { method: 'POST', body, headers });
    return { status: response.status, text: await response.text() };
  };
  const sid = /"sid":"([^"]+)"/.exec((await ask()).text)?.[1] ?? '';
  if (version === 4) await ask(`&sid=${sid}`, '40');
  return {
    post: (body: string | Buffer) => ask(`&sid=${sid}`, body),
    poll: () => ask(`&sid=${sid}`),
  };
}

const EVENT = '42["millrace",{}]';
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const inBytes = (packet: string) =>
  Buffer.from([0, ...[...String(packet.length)].map(Number), 255, ...Buffer.from(packet)]);
const PAYLOADS = [
  ['text of version 4', 4, (count: number) => times(count, EVENT).join('\x1e')],
  ['text of version 3', 3, (count: number) => times(count, `${EVENT.length}:${EVENT}`).join('')],
  ['bytes of version 3', 3, (count: number) => Buffer.concat(times(count, inBytes(EVENT)))],
] as const;

describe('a payload of a poll (PROTO-58)', () => {
  it.each(PAYLOADS)('has at most 1,000 packets: %s', async (_, version, payload) => {
    const server = await start({ maxRunningRequests: 10_000 });
    const session = await openSession(server, version);
    expect((await session.post(payload(1_000))).status).toBe(200);
    await expect.poll(() => server.host.dispatched.length).toBe(1_000);
    await session.post(payload(1_001));
    // The session has ended; none of its packets was decoded.
    await expect.poll(async () => (await session.poll()).status).toBe(400);
    await expect.poll(() => server.host.open.size).toBe(0);
    expect(server.host.dispatched).toHaveLength(1_000);
  });

  it('is taken in turns of the event loop', async () => {
    const server = await start({ maxRunningRequests: 10_000 });
    let inTurn = 0;
    let most = 0;
    server.host.runs.set('work', () => {
      inTurn++;
      if (inTurn === 1) setImmediate(() => (inTurn = 0));
      most = Math.max(most, inTurn);
      for (const endMs = performance.now() + 1; performance.now() < endMs;);
      return null;
    });
    const session = await openSession(server, 4);
    await session.post(times(100, '42["millrace",{"action":"work"}]').join('\x1e'));
    await expect.poll(() => server.host.dispatched.length).toBe(100);
    // A turn has about 4 ms, and each request takes one.
    expect(most).toBeLessThan(20);
  });
});

it.each(['websocket', 'polling'])(
  'a client with more than 5,000 waiting requests is disconnected, over %s (PROTO-58)',
  async (transport) => {
    const server = await start({ maxRunningRequests: 1 });
    server.host.runs.set('never', () => new Promise(() => undefined));
    const client = await server.connect({ transports: [transport] });
    client.send({ action: 'never' });
    await expect.poll(() => server.host.dispatched.length).toBe(1);
    for (let sent = 0; sent <= 5_000; sent++) {
      client.send({});
      // Less than 1,000 in a payload.
      if (sent % 500 === 0)
        await new Promise((resolve) => client.socket.io.engine.once('drain', () => resolve(undefined)));
    }
    await client.closing;
    await expect.poll(() => server.host.open.size).toBe(0);
    expect(server.host.dispatched).toHaveLength(1);
  },
);
