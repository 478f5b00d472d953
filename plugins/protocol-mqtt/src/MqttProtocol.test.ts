import { once } from 'node:events';
import { generate } from 'mqtt-packet';
import { afterEach, describe, expect, it } from 'vitest';
import { authErrors } from '@millrace/kernel';
import type { MqttConfig } from './config.js';
import { MqttProtocol } from './MqttProtocol.js';
import { FakeHost, type Received } from '@millrace/wire-testing';
import { openTestServer, testConfig, type TestServer } from './openTestServer.test.support.js';

const started: TestServer[] = [];
async function start(changes: Partial<MqttConfig> = {}): Promise<TestServer> {
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

describe('messages over MQTT (PROTO-60)', () => {
  it('a request to the service’s topic is answered on mqtt.<client id>', async () => {
    const { connect } = await start();
    const client = await connect({ clientId: 'device-1' });
    expect(await client.request({ requestId: 'a b', body: { é: [1] } })).toEqual({
      topic: 'mqtt.device-1',
      qos: 1,
      requestId: 'a b',
      status: 200,
      error: null,
      controller: 'server',
      action: 'echo',
      index: null,
      collection: null,
      metadata: {},
      state: 'done',
      result: { é: [1] },
    });
  });

  it.each(['{not json', '"text"', '42', '[1,2]', 'null', ''])(
    'what is no request, %j, is answered 400 and the connection lives on',
    async (text) => {
      const { connect } = await start();
      const client = await connect();
      client.publish(text);
      expect(await client.atLeast(1)).toMatchObject([{ status: 400, result: null }]);
      expect((await client.request({})).status).toBe(200);
    },
  );

  it.each([0, 1, 2] as const)('requests published with QoS %i run once each', async (qos) => {
    const { connect, host } = await start();
    const client = await connect();
    const answers = upTo(50).map((n) => client.request({ body: { n } }, { qos }));
    expect((await Promise.all(answers)).map(({ result }) => result)).toEqual(upTo(50).map((n) => ({ n })));
    expect(host.dispatched).toHaveLength(50);
  });

  it.each([
    [0, 0],
    [1, 1],
    [2, 1],
  ] as const)('a subscription with QoS %i is served with %i', async (asked, served) => {
    const { connect, protocol } = await start();
    const client = await connect();
    protocol.notifier.join(client.connectionId, 'c');
    for (const topic of ['c', client.responseTopic]) {
      expect(await client.listen(topic, asked)).toBeLessThan(128);
    }
    protocol.notifier.publish('c', '{"n":1}');
    await client.request({});
    expect(client.received.map(({ topic, qos }) => [topic, qos])).toEqual([
      ['c', served],
      [client.responseTopic, served],
    ]);
  });

  it('70,000 messages with QoS 1 arrive in order, message ids start again', async () => {
    const { connect, protocol } = await start();
    const client = await connect();
    protocol.notifier.join(client.connectionId, 'c');
    await client.listen('c', 1);
    for (let n = 0; n < 70_000; n++) {
      protocol.notifier.publish('c', `{"n":${n}}`);
      if (n % 1_000 === 0) await turn();
    }
    await client.find(({ n }) => n === 69_999);
    expect(numbers(client.received)).toEqual(upTo(70_000));
  });

  it('a client with 1,000 unreleased messages of QoS 2 is disconnected when it publishes another (PROTO-76)', async () => {
    const { dial, host } = await start();
    const socket = await dial();
    const text = (value: string) => Buffer.from([0, value.length, ...Buffer.from(value)]);
    const packet = (type: number, ...parts: Buffer[]) => {
      const content = Buffer.concat(parts);
      return Buffer.concat([Buffer.from([type, content.length]), content]);
    };
    socket.write(packet(0x10, text('MQTT'), Buffer.from([4, 2, 0, 60]), text('q')));
    await expect.poll(() => host.open.size).toBe(1);
    const publish = (id: number) => packet(0x34, text('millrace'), Buffer.from([id >> 8, id & 255]), Buffer.from('{}'));
    for (let id = 1; id <= 1_000; id++) socket.write(publish(id));
    await expect.poll(() => host.dispatched.length, { timeout: 20_000 }).toBe(1_000);
    expect(host.open.size).toBe(1);
    socket.write(publish(1_001));
    await expect.poll(() => host.open.size).toBe(0);
  });

  it('publishing to any other topic reaches no subscriber and is answered 400', async () => {
    const { connect, protocol, host } = await start();
    const [client, other] = [await connect(), await connect()];
    protocol.notifier.join(other.connectionId, 'c');
    await other.listen('c');
    for (const topic of ['c', other.responseTopic, 'millrace/x', '$SYS/x']) {
      client.publish('{"controller":"server","action":"echo"}', topic, { retain: true });
    }
    await client.atLeast(4);
    expect(client.received.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(client.received[0]?.error?.message).toContain('"millrace"');
    expect(host.dispatched.every(({ fault }) => fault !== null)).toBe(true);
    await other.request({});
    expect(other.received).toHaveLength(1);
  });

  it('subscriptions to wildcards and to channels of other users are refused with 128 (PROTO-61)', async () => {
    const { connect, protocol } = await start();
    const [client, other] = [await connect(), await connect()];
    protocol.notifier.join(other.connectionId, 'c');
    const foreign = ['#', '+', '+/#', 'mqtt/#', '$SYS/#', '$share/g/c', 'millrace', 'c', other.responseTopic];
    for (const topic of foreign) expect(await client.listen(topic), topic).toBe(128);
    protocol.notifier.publish('c', '{"n":1}');
    await client.request({});
    expect(client.received).toHaveLength(1);
  });

  it('retained messages and wills do not exist, sessions do not outlive connections (PROTO-62)', async () => {
    const { connect, host } = await start();
    const will = {
      topic: 'millrace',
      payload: Buffer.from('{"action":"will"}'),
      qos: 1,
      retain: true,
    } as const;
    const doomed = await connect({ will, clean: false, clientId: 'doomed' });
    await doomed.request({ action: 'kept' }, { retain: true });
    doomed.socket.stream.destroy();
    await expect.poll(() => host.open.size).toBe(0);
    const again = await connect({ clean: false, clientId: 'doomed' });
    await again.request({});
    expect(again.received).toHaveLength(1);
    expect(host.dispatched.map(({ action }) => action)).toEqual(['kept', 'echo']);
  });

  it('a message above the limit is answered 413 and the connection closed', async () => {
    const { connect } = await start();
    for (const length of [1_048_576, 1_200_000, 30_000_000]) {
      const client = await connect();
      client.publish(JSON.stringify({ body: 'x'.repeat(length) }));
      await client.closing;
      expect(client.received).toMatchObject([{ status: 413, error: { id: 'api.body_too_large' } }]);
    }
  });

  it('a message of nearly 1 MiB is taken, and a larger result arrives', async () => {
    const { connect, host } = await start();
    host.runs.set('large', () => 'x'.repeat(20_000_000));
    const client = await connect();
    const text = 'x'.repeat(1_040_000);
    expect((await client.request({ body: { text } })).result).toEqual({ text });
    expect((await client.request({ action: 'large' })).result).toHaveLength(20_000_000);
  });

  it('a host that rejects is answered core.internal (500)', async () => {
    const { connect, host } = await start();
    const client = await connect();
    host.dispatch = () => Promise.reject(new Error('secret'));
    const answer = await client.request({});
    expect(answer).toMatchObject({ status: 500, error: { id: 'core.internal' } });
  });
});

describe('connections', () => {
  it('are announced when they open and when they are gone', async () => {
    const { connect, host } = await start();
    const client = await connect();
    expect([...host.open]).toMatchObject([{ id: 'mqtt-1', protocol: 'mqtt', remoteAddress: '127.0.0.1' }]);
    client.socket.end();
    await expect.poll(() => host.open.size).toBe(0);
  });

  it('without CONNECT in time, and with other bytes than MQTT, are closed and never counted', async () => {
    const { dial, host } = await start({ connectTimeoutMs: 50 });
    const silent = await dial();
    const http = await dial();
    http.write('GET / HTTP/1.1\r\n\r\n');
    const huge = await dial();
    huge.write(Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]));
    const closed = [silent, http, huge].map((socket) => {
      // The server may close before it has read everything.
      socket.on('error', () => undefined);
      return new Promise((resolve) => socket.once('close', resolve));
    });
    await Promise.all(closed);
    expect(host.open.size).toBe(0);
  });

  it('clients that don’t wait for CONNECT to be acknowledged have their requests taken, large ones too', async () => {
    const { dial, host } = await start();
    const socket = await dial();
    const body = { text: 'x'.repeat(200_000) };
    const payload = JSON.stringify({ controller: 'server', action: 'echo', body });
    const flags = { qos: 0, dup: false, retain: false } as const;
    const connect = Buffer.from([0x10, 13, 0, 4, 77, 81, 84, 84, 4, 2, 0, 60, 0, 1, 107]);
    socket.write(Buffer.concat([connect, generate({ cmd: 'publish', topic: 'millrace', payload, ...flags })]));
    await expect.poll(() => host.dispatched.length).toBe(1);
    expect(host.dispatched[0]?.body).toEqual(body);
  });

  it('MQTT 5 is refused with return code 1, ids with wildcards with 2', async () => {
    const { connect } = await start();
    await expect(connect({ protocolVersion: 5 })).rejects.toMatchObject({ code: 1 });
    await expect(connect({ clientId: 'a/+/b' })).rejects.toMatchObject({ code: 2 });
  });

  it('get a bounded keep-alive whatever they ask for (PROTO-65)', async () => {
    const { dial, host } = await start({ maxKeepAliveMs: 1_000 });
    const socket = await dial();
    // CONNECT of MQTT 3.1.1 with keep-alive 0 and client id "k".
    socket.write(Buffer.from([0x10, 13, 0, 4, 77, 81, 84, 84, 4, 2, 0, 0, 0, 1, 107]));
    await once(socket, 'data');
    expect(host.open.size).toBe(1);
    await once(socket, 'close');
  });

  it('a connection with maxRunningRequests running is not read until one is answered', async () => {
    const { connect, host } = await start({ maxRunningRequests: 1 });
    const finish: (() => void)[] = [];
    host.runs.set('slow', () => new Promise((resolve) => finish.push(() => resolve('done'))));
    const client = await connect();
    const slow = client.request({ action: 'slow' });
    await expect.poll(() => finish.length).toBe(1);
    const late = client.request({});
    await (await connect()).request({});
    expect(client.received).toEqual([]);
    finish[0]?.();
    expect((await slow).status).toBe(200);
    expect((await late).status).toBe(200);
  });

  it('a client that asks and never reads is read no further, and closed in the end', async () => {
    const { connect, host } = await start({ maxStallMs: 300 });
    const client = await connect();
    client.socket.stream.pause();
    const text = 'x'.repeat(60_000);
    for (let n = 0; n < 900; n++) {
      const message = { controller: 'server', action: 'echo', body: { n, text } };
      client.publish(JSON.stringify(message));
      if (n % 20 === 0) await turn();
    }
    await expect.poll(() => host.open.size).toBe(0);
    expect(host.dispatched.length).toBeLessThan(600);
    client.socket.end(true);
  });

  it('a stop lets running requests answer, then ends every connection', async () => {
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
  });

  it('tells the address with the port that was free, and refuses a port that is taken', async () => {
    const { port, url } = await start();
    expect(url).toBe(`mqtt://127.0.0.1:${port}`);
    const second = new MqttProtocol(testConfig({ port }));
    await expect(second.start(new FakeHost())).rejects.toThrow(`port ${port} of 127.0.0.1`);
    await second.stop();
  });
});

/** Logins of the fake host: user "ann" with password "right", tokens "token-<user>". */
function withUsers(host: FakeHost, expiresAt = Date.now() + 3_600_000): FakeHost {
  const ended = new Set<string>();
  const check = (token: string | null) => {
    if (token === null) return '-1';
    if (!token.startsWith('token-') || ended.has(token)) throw authErrors.token_expired({});
    return token.slice(6);
  };
  host.runs.set('login', ({ body }) => {
    if (body?.username === 'busy') throw authErrors.too_many_attempts({});
    if (body?.password !== 'right') throw authErrors.wrong_credentials({});
    return { _id: body.username, jwt: `token-${body.username as string}` };
  });
  host.runs.set('getCurrentUser', ({ token }) => ({ _id: check(token) }));
  host.runs.set('checkToken', () => ({ valid: true, expiresAt }));
  host.runs.set('whoami', ({ token }) => check(token));
  host.runs.set('logout', ({ token }) => {
    ended.add(String(token));
    return {};
  });
  host.runs.set('refreshToken', ({ token }) => {
    ended.add(String(token));
    return { _id: 'ann', jwt: 'token-ann-2', expiresAt };
  });
  return host;
}

describe('credentials of CONNECT (PROTO-63)', () => {
  it('user name and password, or "jwt" and a token, make the user of requests without a token', async () => {
    const { connect, host } = await start();
    withUsers(host);
    const byPassword = await connect({ username: 'ann', password: 'right' });
    expect((await byPassword.request({ action: 'whoami' })).result).toBe('ann');
    expect((await byPassword.request({ action: 'whoami', jwt: 'token-bob' })).result).toBe('bob');
    const byToken = await connect({ username: 'jwt', password: 'token-bob' });
    expect((await byToken.request({ action: 'whoami' })).result).toBe('bob');
    const anonymous = await connect();
    expect((await anonymous.request({ action: 'whoami' })).result).toBe('-1');
  });

  it.each([
    [{ username: 'ann', password: 'wrong' }, 5],
    [{ username: 'ann' }, 5],
    [{ username: 'jwt', password: 'no token' }, 5],
    [{ username: 'busy', password: 'right' }, 3],
  ])('%j is refused with return code %i', async (credentials, code) => {
    const { connect, host } = await start();
    withUsers(host);
    await expect(connect(credentials)).rejects.toMatchObject({ code });
    await expect.poll(() => host.open.size).toBe(0);
  });

  it('the connection ends with its token: at its expiry, after a refusal, after a logout', async () => {
    const { connect, host } = await start();
    withUsers(host, Date.now() - 10_000);
    await (
      await connect({ username: 'ann', password: 'right' })
    ).closing;
    withUsers(host);
    const leaver = await connect({ username: 'ann', password: 'right' });
    expect((await leaver.request({ controller: 'auth', action: 'logout' })).status).toBe(200);
    await leaver.closing;
    withUsers(host);
    const revoked = await connect({ username: 'ann', password: 'right' });
    host.runs.set('whoami', () => {
      throw authErrors.token_expired({});
    });
    expect((await revoked.request({ action: 'whoami' })).status).toBe(401);
    await revoked.closing;
  });

  it('a token refreshed on the connection takes the place of the old one', async () => {
    const { connect, host } = await start();
    withUsers(host);
    const client = await connect({ username: 'ann', password: 'right' });
    await client.request({ controller: 'auth', action: 'refreshToken' });
    expect((await client.request({ action: 'whoami' })).result).toBe('ann-2');
  });

  it('a client id is taken over by the same user only, and nothing is inherited', async () => {
    const { connect, host, protocol } = await start();
    withUsers(host);
    const ann = { username: 'ann', password: 'right' };
    const first = await connect({ clientId: 'same', ...ann });
    protocol.notifier.join(first.connectionId, 'c');
    await first.listen('c');
    await expect(connect({ clientId: 'same' })).rejects.toMatchObject({ code: 2 });
    const bob = { username: 'bob', password: 'right' };
    await expect(connect({ clientId: 'same', ...bob })).rejects.toMatchObject({ code: 2 });
    expect((await first.request({})).status).toBe(200);
    const second = await connect({ clientId: 'same', ...ann });
    await first.closing;
    expect(await second.listen('c')).toBe(128);
    protocol.notifier.publish('c', '{"n":1}');
    expect((await second.request({})).status).toBe(200);
    expect(second.received).toHaveLength(1);
    await expect.poll(() => host.open.size).toBe(1);
  });

  it('two anonymous connections are never the same user', async () => {
    const { connect, host } = await start();
    const first = await connect({ clientId: 'same' });
    await expect(connect({ clientId: 'same' })).rejects.toMatchObject({ code: 2 });
    first.socket.end();
    await expect.poll(() => host.open.size).toBe(0);
    await connect({ clientId: 'same' });
  });
});

describe('notifications', () => {
  it('reach clients that have joined and subscribed, in order, but the one left out', async () => {
    const { connect, protocol } = await start();
    const clients = [await connect(), await connect(), await connect()];
    const [one, two, deaf] = clients as [(typeof clients)[0], (typeof clients)[0], (typeof clients)[0]];
    for (const { connectionId } of clients) protocol.notifier.join(connectionId, 'c');
    await one.listen('c', 0);
    await two.listen('c', 1);
    for (let n = 0; n < 100; n++) protocol.notifier.publish('c', `{"n":${n}}`);
    protocol.notifier.publish('c', '{"n":100}', one.connectionId);
    protocol.notifier.notify(one.connectionId, 'c', '{"n":101}');
    protocol.notifier.notify(one.connectionId, null, '{"n":102}');
    await one.atLeast(102);
    expect(numbers(one.received)).toEqual([...upTo(100), 101, 102]);
    expect(one.received.at(-1)).toEqual({ n: 102, topic: one.responseTopic, qos: 1 });
    await two.atLeast(101);
    expect(numbers(two.received)).toEqual(upTo(101));
    await deaf.request({});
    expect(deaf.received).toHaveLength(1);
  });

  it('nothing of a channel arrives after leave, and its subscription is gone', async () => {
    const { connect, protocol } = await start();
    const client = await connect();
    const { notifier } = protocol;
    notifier.join('nobody', 'c');
    notifier.leave('nobody', 'c');
    notifier.notify('nobody', null, '{}');
    notifier.join(client.connectionId, 'c');
    await client.listen('c');
    notifier.publish('c', '{"n":1}');
    notifier.leave(client.connectionId, 'c');
    notifier.publish('c', '{"n":2}');
    expect(await client.listen('c')).toBe(128);
    notifier.join(client.connectionId, 'c');
    notifier.publish('c', '{"n":3}');
    await client.request({});
    expect(client.received).toMatchObject([{ n: 1 }, { status: 200 }]);
    expect(await client.listen('c')).toBe(1);
    notifier.publish('c', '{"n":4}');
    await client.find(({ n }) => n === 4);
  });

  it('an unsubscription by the client is honoured', async () => {
    const { connect, protocol } = await start();
    const client = await connect();
    protocol.notifier.join(client.connectionId, 'c');
    await client.listen('c');
    await client.socket.unsubscribeAsync('c');
    protocol.notifier.publish('c', '{"n":1}');
    await client.request({});
    expect(client.received).toHaveLength(1);
  });

  it('a slow consumer is closed while a healthy one gets everything (PROTO-42)', async () => {
    const { connect, host, protocol } = await start({ maxWaitingBytes: 1_000_000 });
    const [healthy, slow] = [await connect(), await connect()];
    for (const client of [healthy, slow]) {
      protocol.notifier.join(client.connectionId, 'c');
      await client.listen('c');
    }
    slow.socket.stream.pause();
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
    expect((await healthy.request({})).status).toBe(200);
  });

  it('30 MB of notifications published in one go reach a client that reads', async () => {
    const { connect, host, protocol } = await start();
    const client = await connect();
    protocol.notifier.join(client.connectionId, 'c');
    await client.listen('c');
    const pad = 'x'.repeat(10_000);
    for (let n = 0; n < 3_000; n++) protocol.notifier.publish('c', JSON.stringify({ n, pad }));
    await client.find(({ n }) => n === 2_999);
    expect(numbers(client.received)).toEqual(upTo(3_000));
    expect(host.open.size).toBe(1);
  });
});
