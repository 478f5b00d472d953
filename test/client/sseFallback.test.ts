import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, isError } from '@millrace/client';
import { realtime, type RealtimeEvent, type RealtimeOptions, type Subscription } from '@millrace/client/realtime';
import { sse } from '@millrace/client/sse';
import type { JsonObject } from '@millrace/kernel';
import { sse as sseProtocol } from '@millrace/protocol-sse';
import { websocket } from '@millrace/protocol-websocket';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { flatRole, startSecured, type SecuredServer } from '../security/securedServer.js';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';

const ROLE = flatRole({
  realtime: ['subscribe', 'publish', 'presence'],
  document: ['*'],
  auth: ['refreshToken'],
});
const MAX_STREAM_MS = 400;

/** A proxy that lets no WebSocket through. */
class RefusingProxy {
  count = 0;
  readonly #server: Server = createServer().on('upgrade', (_, socket) => {
    this.count++;
    socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n');
  });

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }
}

/** What a subscription receives. */
function record(subscription: Subscription<unknown>) {
  const events: RealtimeEvent<unknown>[] = [];
  const statuses: string[] = [];
  subscription.on('event', (event) => events.push(event));
  subscription.on('status', (status) => statuses.push(status));
  const ids = () => events.map((event) => ('id' in event ? String(event.id) : event.kind));
  return { events, statuses, ids };
}

describe('server-sent events as a fallback of the client', () => {
  const refusing = new RefusingProxy();
  let server: SecuredServer;
  let network: UnreliableProxy;
  /** The streams of this one are short. */
  let restless: StartedKernel;
  let websocketUrl: string;
  let refusingUrl: string;
  let jwt: string;
  const ends: (() => void)[] = [];

  beforeAll(async () => {
    restless = await startKernel({
      plugins: [sseProtocol({ maxStreamMs: MAX_STREAM_MS, heartbeatMs: 100 })],
    });
    const protocols = [websocket({ port: 0 }), sseProtocol({ heartbeatMs: 100 })];
    server = await startSecured({}, { plugins: protocols });
    const addresses = await server.started.kernel.start();
    websocketUrl = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
    network = new UnreliableProxy(new URL(server.started.url));
    await network.appear();
    refusingUrl = await refusing.open();
    ({ jwt } = await server.account(ROLE));
  });
  afterEach(() => {
    for (const end of ends.splice(0)) end();
    vi.unstubAllGlobals();
  });
  afterAll(async () => {
    refusing.close();
    await network.vanish();
    await server.close();
    await restless.close();
  });

  function connect(options: RealtimeOptions = {}, url = network.url) {
    const auth = url === network.url ? { auth: { token: () => jwt } } : {};
    const client = createClient(url, auth).with(realtime({ url: refusingUrl, WebSocket, fallback: sse(), ...options }));
    ends.push(() => client.connection.close());
    return client;
  }
  const write = async (collection: string, _id: string, body: JsonObject = { bikes: 1 }) => {
    const { status } = await server.http('PUT', `/city/${collection}/${_id}`, { body });
    expect(status).toBe(200);
  };

  it('a WebSocket that opens is used', async () => {
    const client = connect({ url: websocketUrl });
    const fetched = vi.spyOn(client.http as { fetch: typeof fetch }, 'fetch');
    await client.collection('city', 'stations').subscribe().ready;
    expect(fetched).not.toHaveBeenCalled();
  });

  it('after two WebSockets that did not open, streams are used, and remembered for the address', async () => {
    const client = connect();
    const subscription = client.collection('city', 'first').subscribe({ range: { bikes: { lt: 5 } } });
    const { events, ids } = record(subscription);
    await subscription.ready;
    expect(refusing.count).toBe(2);
    expect(client.connection.state).toBe('open');
    await write('first', 'f-1', { bikes: 1 });
    await write('first', 'f-2', { bikes: 7 });
    await write('first', 'f-1', { bikes: 9 });
    await client.collection('city', 'first').publish({ _id: 'f-3', bikes: 0 });
    await expect.poll(ids).toEqual(['f-1', 'f-1', 'f-3']);
    expect(events).toMatchObject([
      { kind: 'changed', source: { bikes: 1 }, cursor: expect.any(String) as string },
      { kind: 'left', action: 'update' },
      { kind: 'message', source: { bikes: 0 } },
    ]);
    const other = connect();
    await other.collection('city', 'first').subscribe().ready;
    expect(refusing.count).toBe(2);
  });

  it('SSE-10: streams that the server ends continue, each event once and in order', async () => {
    const client = connect({}, restless.url);
    const subscription = client.collection('city', 'long').subscribe();
    const { statuses, ids, events } = record(subscription);
    await subscription.ready;
    const written: string[] = [];
    for (let n = 0; statuses.filter((status) => status === 'resuming').length < 3; n++) {
      written.push(`l-${n}`);
      await restless.ask('PUT', `/city/long/l-${n}`, { bikes: n });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await expect.poll(ids).toEqual(written);
    expect(events.some((event) => 'replayed' in event && event.replayed)).toBe(true);
    expect(client.connection.state).toBe('open');
  });

  it('sends what was missed after a cut', async () => {
    const client = connect();
    const [red, all] = [{ equals: { colour: 'red' } }, {}].map((filter) =>
      client.collection('city', 'cut').subscribe(filter),
    ) as [Subscription<unknown>, Subscription<unknown>];
    const [one, two] = [record(red), record(all)];
    await Promise.all([red.ready, all.ready]);
    await write('cut', 'c-1', { colour: 'red' });
    await expect.poll(() => [one.ids(), two.ids()]).toEqual([['c-1'], ['c-1']]);
    await network.vanish();
    await expect.poll(() => client.connection.state).toBe('waiting');
    await write('cut', 'c-2', { colour: 'blue' });
    await write('cut', 'c-1', { colour: 'blue' });
    await network.appear();
    await expect.poll(() => [red.status, all.status]).toEqual(['live', 'live']);
    expect(one.ids()).toEqual(['c-1', 'c-1']);
    expect(two.ids()).toEqual(['c-1', 'c-2', 'c-1']);
  });

  it('a gap where the changes are gone, then continues', async () => {
    const client = connect();
    const subscription = client.collection('city', 'gone').subscribe();
    const { events, ids } = record(subscription);
    await subscription.ready;
    await network.vanish();
    await expect.poll(() => client.connection.state).toBe('waiting');
    await write('gone', 'g-1');
    await server.result('DELETE', '/city/gone/_truncate');
    await network.appear();
    await expect.poll(() => subscription.status).toBe('live');
    await write('gone', 'g-2');
    await expect.poll(ids).toEqual(['gap', 'g-2']);
    expect(events[0]).toMatchObject({ reason: 'wiped' });
  });

  it('SSE-2: after the end of its token the subscription resumes with the next one', async () => {
    const account = await server.account(ROLE);
    let token = await server.token(account.id, account.password, { expiresIn: '1s' });
    const client = createClient(network.url, {
      // Of another user.
      auth: { token: () => token, refresh: async () => (token = jwt) },
    }).with(realtime({ url: refusingUrl, WebSocket, fallback: sse() }));
    ends.push(() => client.connection.close());
    const subscription = client.collection('city', 'tokens').subscribe();
    const { ids } = record(subscription);
    await subscription.ready;
    await expect.poll(() => token).toBe(jwt);
    await write('tokens', 't-1');
    await expect.poll(ids).toEqual(['t-1']);
    await expect.poll(() => subscription.status).toBe('live');
  });

  it('leaves, and ends with the error of the server', async () => {
    const client = connect();
    const stations = client.collection('city', 'left');
    const [good, leaving] = [stations.subscribe({}), stations.subscribe({ exists: 'bikes' })];
    const bad = stations.subscribe({ equal: { bikes: 1 } });
    const named = stations.subscribe({}, { name: 'till' });
    const errors = await Promise.all([bad, named].map(({ ready }) => ready.catch((thrown: unknown) => thrown)));
    expect(isError(errors[0], 'realtime.invalid_filter')).toBe(true);
    expect(isError(errors[1], 'realtime.needs_websocket')).toBe(true);
    const rooms = async () => {
      const result = await server.result('POST', '/_message/realtime/list', { body: {} });
      const { city } = result as { readonly city?: { readonly left?: object } };
      return Object.keys(city?.left ?? {}).length;
    };
    await Promise.all([good.ready, leaving.ready]);
    expect(await rooms()).toBe(2);
    leaving.close();
    await expect.poll(rooms).toBe(1);
    expect(good.status).toBe('live');
  });

  it('shows the user to others in the room, and who they are (SSE-1)', async () => {
    const [mine, yours] = [connect(), connect({ url: websocketUrl })];
    const options = { users: 'all', presence: { name: 'Ada' } } as const;
    const subscription = mine.collection('city', 'presence').subscribe({}, options);
    const { events } = record(subscription);
    await subscription.ready;
    expect(await subscription.presence()).toMatchObject({ users: [{ presence: { name: 'Ada' } }] });
    const other = yours.collection('city', 'presence').subscribe({}, { presence: { name: 'Grace' } });
    await other.ready;
    await expect
      .poll(() => events)
      .toMatchObject([{ kind: 'users', change: 'in', count: 2, presence: { name: 'Grace' } }]);
    const { users } = await other.presence();
    expect(users.map(({ presence }) => presence['name'])).toEqual(['Ada', 'Grace']);
  });

  it('RESUME-24: notices by a heartbeat that an event of a stream was lost', async () => {
    let lost = 0;
    const client = createClient(network.url, {
      auth: { token: () => jwt },
      fetch: async (...request) => {
        const response = await fetch(...request);
        const withoutOne = new TransformStream<string, string>({
          transform(text, controller) {
            const isLost = lost === 0 && text.includes('"_id":"lost"');
            if (isLost) lost++;
            else controller.enqueue(text);
          },
        });
        const body = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(withoutOne);
        return new Response(body?.pipeThrough(new TextEncoderStream()), response);
      },
    }).with(realtime({ url: refusingUrl, WebSocket, fallback: sse() }));
    ends.push(() => client.connection.close());
    const [some, others] = ['some', 'others'].map((name) => client.collection('city', name).subscribe()) as [
      Subscription<unknown>,
      Subscription<unknown>,
    ];
    const [one, two] = [record(some), record(others)];
    await Promise.all([some.ready, others.ready]);
    await write('some', 'first');
    await write('others', 'first');
    await expect.poll(() => [one.ids(), two.ids()]).toEqual([['first'], ['first']]);
    await write('some', 'lost');
    await expect.poll(one.ids).toEqual(['first', 'gap']);
    await write('some', 'last');
    await write('others', 'last');
    await expect
      .poll(() => [one.ids(), two.ids()])
      .toEqual([
        ['first', 'gap', 'last'],
        ['first', 'last'],
      ]);
    expect(lost).toBe(1);
  });

  it('SSE-9: refuses more subscriptions than a page can have', async () => {
    const client = connect({ fallback: sse({ maxStreams: 2 }) }, restless.url);
    const many = client.collection('city', 'many');
    const all = [1, 2, 3].map((n) => many.subscribe({ equals: { bikes: n } }));
    await Promise.all(all.slice(0, 2).map(({ ready }) => ready));
    await expect(all[2]?.ready).rejects.toThrow('more than 2 subscriptions need a WebSocket');
    // Asked for again after the end of a stream, those two are no more than before.
    const count = (subscription: Subscription<unknown>) => {
      let liveCount = 0;
      subscription.on('status', (status) => (liveCount += status === 'live' ? 1 : 0));
      return () => liveCount;
    };
    const counts = all.slice(0, 2).map(count);
    await expect.poll(() => counts.every((liveCount) => liveCount() >= 2)).toBe(true);
  });

  it('without a class of WebSockets, streams are used at once', async () => {
    vi.stubGlobal('WebSocket', undefined);
    const { WebSocket: _, ...options } = { WebSocket };
    const client = createClient(network.url, { auth: { token: () => jwt } }).with(
      realtime({ ...options, fallback: sse() }),
    );
    ends.push(() => client.connection.close());
    await client.collection('city', 'stations').subscribe().ready;
    expect(client.connection.state).toBe('open');
  });

  it('tries WebSockets again while the server is away', async () => {
    vi.stubGlobal('localStorage', undefined);
    const away = createClient('http://127.0.0.1:9').with(realtime({ url: refusingUrl, WebSocket, fallback: sse() }));
    ends.push(() => away.connection.close());
    const before = refusing.count;
    away.collection('city', 'stations').subscribe();
    await expect.poll(() => refusing.count - before).toBe(4);
    expect(away.connection.state).not.toBe('open');
  });

  it('reads the memory that another page of the origin has written', async () => {
    const entries = new Map([[`millrace.sse ${network.url}`, String(Date.now())]]);
    const before = refusing.count;
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => entries.get(key) ?? null,
      setItem: (key: string, value: string) => entries.set(key, value),
    });
    await connect().collection('city', 'stations').subscribe().ready;
    expect(refusing.count).toBe(before);
    // An hour later.
    entries.set(`millrace.sse ${network.url}`, '1');
    await connect().collection('city', 'stations').subscribe().ready;
    expect(refusing.count).toBe(before + 2);
    expect(Date.now() - Number(entries.get(`millrace.sse ${network.url}`))).toBeLessThan(600_000);
  });
});
