import { afterEach, describe, expect, it } from 'vitest';
import type { FallbackConfig } from './config.js';
import { FallbackProtocol } from './FallbackProtocol.js';
import { FakeHost, type Received } from '@millrace/wire-testing';
import { openTestServer, testConfig, type TestServer } from './openTestServer.test.support.js';

const started: TestServer[] = [];
async function start(changes: Partial<FallbackConfig> = {}): Promise<TestServer> {
  const server = await openTestServer(changes);
  started.push(server);
  return server;
}
afterEach(async () => {
  for (const server of started.splice(0)) await server.close();
});

const numbers = (messages: readonly Received[]) => messages.map(({ n }) => n);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const turn = () => new Promise((resolve) => setImmediate(resolve));
const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};

it('a connection that has asked for heartbeats gets them after a time of silence (PROTO-47)', async () => {
  const { connect, host } = await start({ heartbeatMs: 30 });
  host.runs.set('hello', ({ connection }) => connection.startHeartbeats?.());
  const client = await connect({ transports: ['websocket'] });
  expect((await client.request({ action: 'hello' })).result).toBe(30);
  const heartbeat = await client.find(({ event }) => event === 'heartbeat');
  expect(heartbeat).toEqual({ event: 'heartbeat', type: 'heartbeat' });
  host.cursor = 'e1.00000001';
  const withCursor = await client.find((message) => 'cursor' in message);
  expect(withCursor).toEqual({ event: 'heartbeat', type: 'heartbeat', cursor: 'e1.00000001' });
});

describe.each(['websocket', 'polling'])('messages over %s (PROTO-55)', (transport) => {
  const options = { transports: [transport] };

  it('a request on the service’s event is answered on the event of its requestId', async () => {
    const { connect } = await start();
    const client = await connect(options);
    expect(await client.request({ requestId: 'a "quoted" id', body: { é: [1, '✓'] } })).toEqual({
      event: 'a "quoted" id',
      requestId: 'a "quoted" id',
      status: 200,
      error: null,
      controller: 'server',
      action: 'echo',
      index: null,
      collection: null,
      metadata: {},
      state: 'done',
      result: { é: [1, '✓'] },
    });
  });

  it('the acknowledgement gets the same answer', async () => {
    const { connect } = await start();
    const client = await connect(options);
    const acknowledged = new Promise<object>((resolve) =>
      client.send({ controller: 'server', action: 'echo', requestId: 'q' }, resolve),
    );
    expect({ ...(await acknowledged), event: 'q' }).toEqual(await client.find(({ event }) => event === 'q'));
  });

  it('a message above the limit is answered 413, or not at all, and the connection closed', async () => {
    const { connect, host } = await start();
    const client = await connect(options);
    client.send({ body: 'x'.repeat(1_200_000) });
    await client.closing;
    expect(client.received.every(({ status }) => status === 413)).toBe(true);
    const other = await connect(options);
    other.send({ body: 'x'.repeat(5_000_000) });
    await other.closing;
    expect(host.dispatched.every(({ fault }) => fault?.status === 413)).toBe(true);
  });

  it('notifications arrive in order on the event of the channel', async () => {
    const { connect, protocol } = await start();
    const [one, two] = [await connect(options), await connect(options)];
    const { notifier } = protocol;
    for (const { connectionId } of [one, two]) notifier.join(connectionId, 'c');
    for (let n = 0; n < 100; n++) notifier.publish('c', `{"n":${n}}`);
    notifier.publish('c', '{"n":100}', one.connectionId);
    notifier.notify(one.connectionId, 'c', '{"n":101}');
    notifier.notify(one.connectionId, null, '{"requestId":"server notification","n":102}');
    await one.atLeast(102);
    expect(numbers(one.received)).toEqual([...upTo(100), 101, 102]);
    expect(one.received[0]).toEqual({ event: 'c', n: 0 });
    expect(one.received.at(-1)).toMatchObject({ event: 'server notification', n: 102 });
    await two.atLeast(101);
    expect(numbers(two.received)).toEqual(upTo(101));
  });
});

describe('messages', () => {
  it.each([['text'], [42], [[1, 2]], [null], [true], [undefined], [Buffer.from('{}')], [nested(1_000)]])(
    'anything but a request is answered 400 and the connection lives on',
    async (value) => {
      const { connect } = await start();
      const client = await connect();
      if (value === undefined) client.send();
      else client.send(value);
      expect(await client.atLeast(1)).toMatchObject([{ status: 400, result: null }]);
      expect((await client.request({})).status).toBe(200);
    },
  );

  it('a missing message with an acknowledgement is answered 400 there', async () => {
    const { connect } = await start();
    const client = await connect();
    const acknowledged = new Promise((resolve) => client.send(resolve));
    expect(await acknowledged).toMatchObject({ status: 400 });
  });

  it('a message nested deeper than 200 levels, or with a number beyond doubles, is a 400', async () => {
    const { connect, url } = await start();
    const client = await connect();
    expect(await client.request({ body: { a: nested(198) } })).toMatchObject({ status: 200 });
    client.send({ requestId: 'deep', body: { a: nested(200) } });
    expect(await client.find(({ status }) => status === 400)).toMatchObject({
      error: {
        id: 'api.invalid_request',
        message: expect.stringContaining('200 levels') as string,
      },
    });
    // No client library sends 1e400.
    const post = async (sid: string, body?: string) => {
      const address = `${url}/socket.io/?EIO=4&transport=polling${sid === '' ? '' : `&sid=${sid}`}`;
      const response = await fetch(address, body === undefined ? {} : { method: 'POST', body });
      return response.text();
    };
    const { sid } = JSON.parse((await post('')).slice(1)) as { sid: string };
    await post(sid, '40');
    await post(sid);
    await post(sid, '42["millrace",{"controller":"server","action":"echo","body":{"a":1e400}}]');
    expect(await post(sid)).toContain('the range of doubles');
  });

  it.each(['connect', 'connect_error', 'disconnect', 'disconnecting', 'newListener', 'removeListener'])(
    'requestId %j is a 400 under a generated id, as socket.io keeps the event for itself',
    async (requestId) => {
      const { connect } = await start();
      const client = await connect();
      client.send({ controller: 'server', action: 'echo', requestId });
      const [answer] = await client.atLeast(1);
      expect(answer).toMatchObject({ status: 400, error: { id: 'api.invalid_argument' } });
      expect(answer?.event).toBe(answer?.requestId);
      expect(answer?.requestId).not.toBe(requestId);
    },
  );

  it('keys like __proto__ are plain data (PROTO-7)', async () => {
    const { connect } = await start();
    const client = await connect();
    const body = JSON.parse('{"__proto__":{"a":1},"constructor":2}') as object;
    const { result } = await client.request({ body });
    expect(Object.keys(result as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it('a result that is no JSON, and a host that rejects, are answered core.internal (500)', async () => {
    const { connect, host } = await start();
    host.runs.set('odd', () => 1n);
    const client = await connect();
    expect(await client.request({ action: 'odd' })).toMatchObject({ status: 500 });
    host.dispatch = () => Promise.reject(new Error('secret'));
    expect(await client.request({})).toMatchObject({ error: { id: 'core.internal' } });
  });

  it('requests past maxRunningRequests wait, and past maxWaitingBytes end the connection', async () => {
    const { connect, host } = await start({ maxRunningRequests: 2, maxWaitingBytes: 100_000 });
    const finish: (() => void)[] = [];
    host.runs.set('slow', () => new Promise((resolve) => finish.push(() => resolve('done'))));
    const client = await connect();
    const slow = upTo(2).map(() => client.request({ action: 'slow' }));
    await expect.poll(() => finish.length).toBe(2);
    const late = client.request({});
    await (await connect()).request({});
    expect(client.received).toEqual([]);
    finish.forEach((end) => end());
    expect((await Promise.all([...slow, late])).map(({ status }) => status)).toEqual([200, 200, 200]);
    for (let n = 0; n < 10; n++) client.send({ action: 'slow', body: { text: 'x'.repeat(20_000) } });
    await client.closing;
    await expect.poll(() => host.open.size).toBe(1);
  });
});

describe.each(['websocket', 'polling'])('clients of socket.io 2 over %s (PROTO-57)', (transport) => {
  it('get responses and notifications', async () => {
    const { connectOld, protocol } = await start();
    const client = await connectOld(['q', 'c'], { transports: [transport] });
    expect((await client.request({ requestId: 'q', body: { é: '✓' } })).result).toEqual({
      é: '✓',
    });
    protocol.notifier.join(client.connectionId, 'c');
    for (let n = 0; n < 10; n++) protocol.notifier.publish('c', `{"n":${n},"text":"é"}`);
    await client.atLeast(11);
    expect(numbers(client.received.slice(1))).toEqual(upTo(10));
    expect(client.received.at(-1)?.text).toBe('é');
  });
});

describe('connections', () => {
  it('are announced when they open and when they are gone', async () => {
    const { connect, host } = await start();
    const client = await connect();
    expect([...host.open]).toMatchObject([
      {
        id: 'fallback-1',
        protocol: 'fallback',
        remoteAddress: expect.stringContaining('127.0.0.1') as string,
      },
    ]);
    client.socket.disconnect();
    await expect.poll(() => host.open.size).toBe(0);
  });

  it('past maxConnections, and to other namespaces, are refused', async () => {
    const { connect, url } = await start({ maxConnections: 2 });
    await connect();
    await expect(connect({ transports: ['websocket'], path: '/elsewhere' })).rejects.toThrow();
    await connect();
    await expect(connect()).rejects.toThrow();
    expect(await (await fetch(url)).text()).toContain('socket.io');
  });

  it('long polling from other origins is allowed without credentials', async () => {
    const { url } = await start();
    const open = (server: string) =>
      fetch(`${server}/socket.io/?EIO=4&transport=polling`, {
        headers: { origin: 'https://a.example' },
      });
    const { headers } = await open(url);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    const strict = await start({ cors: { origin: 'https://b.example' } });
    expect((await open(strict.url)).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('go on after a method that polling does not have, which is answered 405', async () => {
    const { url: server } = await start();
    const url = `${server}/socket.io/?EIO=4&transport=polling`;
    const { sid } = JSON.parse((await (await fetch(url)).text()).slice(1)) as { sid: string };
    for (const method of ['PUT', 'DELETE', 'PATCH', 'HEAD']) {
      const { status, headers } = await fetch(`${url}&sid=${sid}`, { method });
      expect([status, headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS']);
    }
    await fetch(`${url}&sid=${sid}`, { method: 'POST', body: '40' });
    expect(await (await fetch(`${url}&sid=${sid}`)).text()).toContain('40{');
  });

  it('connections that don’t answer pings are closed', async () => {
    const { connect, host } = await start({ keepAliveMs: 50 });
    const client = await connect({ transports: ['websocket'] });
    const engine = client.socket.io.engine as unknown as { transport: { ws: { pause(): void } } };
    engine.transport.ws.pause();
    await expect.poll(() => host.open.size).toBe(0);
  });

  it.each(['websocket', 'polling'])(
    'after a stop, clients connect again by themselves over %s, but not after a message that is too large (PROTO-43)',
    async (transport) => {
      const { connect, port, protocol } = await start({ maxMessageBytes: 100 });
      const options = { transports: [transport], reconnection: true, reconnectionDelay: 10 };
      const [client, large] = [await connect(options), await connect(options)];
      large.send({ text: 'x'.repeat(150) });
      await large.closing;
      await protocol.stop();
      await client.closing;
      const again = new Promise((resolve) => client.socket.once('connect', () => resolve(true)));
      await start({ port });
      await again;
      expect([large.socket.active, large.socket.connected]).toEqual([false, false]);
    },
  );

  it('a stop lets running requests answer, then disconnects every client', async () => {
    const { connect, host, protocol } = await start({ drainTimeoutMs: 5_000 });
    let finish: () => void = () => undefined;
    host.runs.set('slow', () => new Promise((resolve) => (finish = () => resolve('done'))));
    const [busy, idle] = [await connect(), await connect()];
    const slow = busy.request({ action: 'slow' });
    await expect.poll(() => host.dispatched.length).toBe(1);
    const stopped = protocol.stop();
    await idle.closing;
    finish();
    expect((await slow).result).toBe('done');
    await Promise.all([busy.closing, stopped]);
    expect(host.open.size).toBe(0);
    await expect(connect()).rejects.toThrow();
  });

  it('a stop does not wait for clients that do not close, nor longer than drainTimeoutMs', async () => {
    const { connect, host, protocol } = await start({ drainTimeoutMs: 50 });
    host.runs.set('slow', () => new Promise(() => undefined));
    const options = { transports: ['websocket'] };
    const [busy, deaf] = [await connect(options), await connect(options)];
    busy.send({ controller: 'server', action: 'slow' });
    await expect.poll(() => host.dispatched.length).toBe(1);
    const engine = deaf.socket.io.engine as unknown as { transport: { ws: { pause(): void } } };
    engine.transport.ws.pause();
    await protocol.stop();
    await busy.closing;
    expect(host.open.size).toBe(0);
  });

  it('tells the address with the port that was free, and refuses a port that is taken', async () => {
    const { port, url } = await start();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    const second = new FallbackProtocol(testConfig({ port }));
    await expect(second.start(new FakeHost())).rejects.toThrow(`port ${port} of 127.0.0.1`);
    await second.stop();
  });
});

describe('notifications', () => {
  it('nothing of a channel arrives after leave, nothing published before a join', async () => {
    const { connect, protocol } = await start();
    const [client, other] = [await connect(), await connect()];
    const { notifier } = protocol;
    notifier.join('nobody', 'c');
    notifier.leave('nobody', 'c');
    notifier.notify('nobody', 'c', '{}');
    notifier.join(other.connectionId, 'c');
    for (let n = 0; n < 3; n++) notifier.publish('c', JSON.stringify({ n, pad: 'x'.repeat(600_000) }));
    notifier.join(client.connectionId, 'c');
    notifier.publish('c', '{"n":3}');
    notifier.leave(client.connectionId, 'c');
    notifier.publish('c', '{"n":4}');
    await client.request({});
    expect(numbers(client.received).filter((n) => n !== undefined && n !== 3)).toEqual([]);
    await other.atLeast(5);
    expect(numbers(other.received)).toEqual(upTo(5));
  });

  it('a slow consumer is closed while a healthy one gets everything (PROTO-42)', async () => {
    const { connect, host, protocol } = await start({ maxWaitingBytes: 1_000_000 });
    const options = { transports: ['websocket'] };
    const [healthy, slow] = [await connect(options), await connect(options)];
    for (const { connectionId } of [healthy, slow]) protocol.notifier.join(connectionId, 'c');
    const engine = slow.socket.io.engine as unknown as { transport: { ws: { pause(): void } } };
    engine.transport.ws.pause();
    const pad = 'x'.repeat(4_000);
    for (let n = 0; n < 4_000; n++) {
      protocol.notifier.publish('c', JSON.stringify({ n, pad }));
      // At the pace of the fast client, however busy the machine is.
      if (n % 50 === 49) await healthy.atLeast(n);
    }
    await healthy.atLeast(4_000);
    expect(numbers(healthy.received)).toEqual(upTo(4_000));
    await expect.poll(() => host.open.size).toBe(1);
    expect(host.slow.map(({ id }) => id)).toEqual([slow.connectionId]);
  });

  it('a consumer that takes nothing for maxStallMs is closed', async () => {
    const { connect, host, protocol } = await start({ maxStallMs: 100 });
    const slow = await connect({ transports: ['websocket'] });
    protocol.notifier.join(slow.connectionId, 'c');
    const engine = slow.socket.io.engine as unknown as { transport: { ws: { pause(): void } } };
    engine.transport.ws.pause();
    const pad = 'x'.repeat(60_000);
    for (let n = 0; n < 130; n++) {
      protocol.notifier.publish('c', JSON.stringify({ n, pad }));
      await turn();
    }
    await expect.poll(() => host.open.size).toBe(0);
  });

  it('30 MB of notifications published in one go reach a client that reads', async () => {
    const { connect, host, protocol } = await start();
    const client = await connect({ transports: ['websocket'] });
    protocol.notifier.join(client.connectionId, 'c');
    const pad = 'x'.repeat(10_000);
    for (let n = 0; n < 3_000; n++) protocol.notifier.publish('c', JSON.stringify({ n, pad }));
    await client.find(({ n }) => n === 2_999);
    expect(numbers(client.received)).toEqual(upTo(3_000));
    expect(host.open.size).toBe(1);
  });
});
