import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterErrors, realtimeErrors, type Request } from '@millrace/kernel';
import { FakeHost } from '@millrace/wire-testing';
import { openTestServer, type TestServer } from './openTestServer.test.support.js';

const CHANNEL = 'room-all';
const NAME = 'mqtt:k:0123456789abcdef';
const CREDENTIALS = { clientId: 'k', clean: false, username: 'ada', password: 'x' };

/** A host with one user, whose session has one subscription. */
class SessionHost extends FakeHost {
  readonly acknowledged: unknown[] = [];
  readonly subscribed: unknown[] = [];
  resumed: object = { resumed: true, channel: CHANNEL };

  constructor() {
    super();
    this.runs.set('login', () => ({ jwt: 'token', _id: 'ada' }));
    this.runs.set('checkToken', () => ({ expiresAt: Date.now() + 1e7 }));
    const stored = { name: NAME, channel: CHANNEL, index: 'i', collection: 'c', filter: {} };
    this.runs.set('listNames', () => ({ names: [stored, { ...stored, name: 'till-7' }] }));
    this.runs.set('resume', () => ({
      subscriptions: [{ status: 200, error: null, result: this.resumed }],
    }));
    this.runs.set('ack', (request) => this.acknowledged.push(fieldOf(request, 'cursor')));
  }
}

function fieldOf(request: Request, name: string): unknown {
  return request['fields'][name];
}

const started: TestServer[] = [];
let host: SessionHost;
let server: TestServer;
beforeEach(async () => {
  host = new SessionHost();
  server = await openTestServer({ maxWaitingBytes: 50_000_000 }, host);
  started.push(server);
});
afterEach(async () => {
  for (const each of started.splice(0)) await each.close();
});

const envelope = (n: number) => JSON.stringify({ n, cursor: `e.${String(n).padStart(5, '0')}` });
const eventually = <T>(get: () => T) => expect.poll(get, { timeout: 20_000 });
const resumedBy = (to: SessionHost) => to.dispatched.some(({ action }) => action === 'resume');

describe('a persistent session', () => {
  it('resumes its own subscriptions, without a SUBSCRIBE of the client (PROTO-66)', async () => {
    const client = await server.connect(CREDENTIALS);
    await eventually(() => resumedBy(host)).toBe(true);
    const resume = host.dispatched.find(({ action }) => action === 'resume');
    expect(resume?.body).toEqual({
      subscriptions: [{ index: 'i', collection: 'c', filter: {}, name: NAME }],
    });
    server.protocol.notifier.notify(client.connectionId, CHANNEL, envelope(1));
    await client.find(({ n }) => n === 1);
    await eventually(() => host.acknowledged).toEqual(['e.00001']);
  });

  it('resumes before the client subscribes again, so that its answer comes first (RESUME-10)', async () => {
    let answerResume: (result: unknown) => void = () => undefined;
    host.runs.set('resume', () => new Promise((resolve) => (answerResume = resolve)));
    host.runs.set('subscribe', () => ({ channel: CHANNEL, name: NAME, resumed: true }));
    const client = await server.connect(CREDENTIALS);
    const subscribing = client.request({ controller: 'realtime', action: 'subscribe' });
    await client.request({ controller: 'server', action: 'now' });
    expect(host.dispatched.some(({ action }) => action === 'subscribe')).toBe(false);
    const resumed = { status: 200, error: null, result: host.resumed };
    answerResume({ subscriptions: [resumed] });
    expect((await subscribing).result).toMatchObject({ resumed: true });
  });

  it('moves its position on when no message matches (PROTO-67)', async () => {
    host.cursor = 'e.00009';
    await server.connect(CREDENTIALS);
    await eventually(() => host.acknowledged).toEqual(['e.00009']);
  });

  it('has a replay wait for the acknowledgements of the client (PROTO-67)', async () => {
    const { notifier } = server.protocol;
    const client = await server.connect(CREDENTIALS);
    await eventually(() => resumedBy(host)).toBe(true);
    const held: (() => void)[] = [];
    client.socket.handleMessage = (_, done) => void held.push(done);
    const notify = (n: number) => notifier.notify(client.connectionId, CHANNEL, envelope(n));
    for (let n = 0; n < 999; n++) notify(n);
    expect(notifier.drained?.(client.connectionId)).toBeUndefined();
    notify(999);
    const drained = notifier.drained?.(client.connectionId);
    expect(drained).toBeInstanceOf(Promise);
    await eventually(() => held.length).toBe(1);
    client.socket.handleMessage = (_, done) => done();
    held[0]?.();
    await drained;
    await eventually(() => host.acknowledged.at(-1)).toBe('e.00999');
    for (let n = 1_000; n < 2_000; n++) notify(n);
    client.socket.handleMessage = () => undefined;
    const left = notifier.drained?.(client.connectionId);
    client.socket.stream.destroy();
    await left;
  });

  it('ends the connection of a client that never acknowledges (PROTO-67)', async () => {
    const client = await server.connect(CREDENTIALS);
    await eventually(() => resumedBy(host)).toBe(true);
    client.socket.handleMessage = () => undefined;
    for (let n = 0; n < 10_000; n++) {
      server.protocol.notifier.notify(client.connectionId, CHANNEL, envelope(n));
    }
    await client.closing;
    await eventually(() => host.slow.length).toBe(1);
    expect(host.acknowledged).toEqual([]);
  });

  it('sends a gap on the topic where it can’t be resumed (PROTO-68)', async () => {
    const gap = { reason: 'expired', message: 'gone' };
    host.resumed = { resumed: false, channel: CHANNEL, cursor: 'e.00007', gap };
    const client = await server.connect(CREDENTIALS);
    const told = await client.find(({ topic }) => topic === CHANNEL);
    expect(told).toMatchObject({
      controller: 'realtime',
      action: 'gap',
      roomId: 'room',
      result: { roomId: 'room', ...gap, cursor: 'e.00007' },
    });
    await eventually(() => host.acknowledged).toEqual(['e.00007']);
  });

  it.each([
    ['an item of the answer', () => ({ subscriptions: [{ status: 503, error: { status: 503 }, result: null }] })],
    [
      'the answer',
      () => {
        throw clusterErrors.unavailable({ reason: 'Redis is away' });
      },
    ],
  ])('ends the connection if %s is a server error, and keeps the session (PROTO-68)', async (_, run) => {
    let fail: () => void = () => undefined;
    host.runs.set('resume', () => new Promise<void>((resolve) => (fail = resolve)).then(run));
    const client = await server.connect(CREDENTIALS);
    await eventually(() => resumedBy(host)).toBe(true);
    fail();
    await client.closing;
    expect(client.received).toEqual([]);
    expect(host.dispatched.some(({ action }) => action === 'deleteName')).toBe(false);
  });

  it('tells the client if it has lost its right (PROTO-68)', async () => {
    const error = { id: 'security.forbidden', status: 403, message: 'no right' };
    host.runs.set('resume', () => ({ subscriptions: [{ status: 403, error, result: null }] }));
    const client = await server.connect(CREDENTIALS);
    const told = await client.find(({ topic }) => topic === CHANNEL);
    expect(told).toMatchObject({ action: 'subscriptionEnded', result: { reason: 'no right' } });
  });

  it('is a plain connection on a server without a change log (PROTO-69)', async () => {
    host.runs.set('listNames', () => ({ names: [] }));
    host.runs.set('subscribe', (request) => {
      host.subscribed.push(fieldOf(request, 'name'));
      if (host.subscribed.length === 1) throw realtimeErrors.no_change_log({});
      return { channel: CHANNEL };
    });
    const client = await server.connect(CREDENTIALS);
    const ask = () => client.request({ controller: 'realtime', action: 'subscribe' });
    expect((await ask()).result).toEqual({ channel: CHANNEL });
    expect((await ask()).result).toEqual({ channel: CHANNEL });
    expect(host.subscribed).toEqual([expect.stringMatching(/^mqtt:k:/), undefined, undefined]);
  });
});
