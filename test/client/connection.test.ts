import { createClient } from '@millrace/client';
import { realtime, type RealtimeEvent } from '@millrace/client/realtime';
import { CLOSE_CODES } from '@millrace/plugin-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { FakeServer, type FakeRequest } from './FakeServer.js';

const LIVE = { roomId: 'room', channel: 'channel', cursor: 'e.1', resumed: false };
const RESUMED = { ...LIVE, resumed: true };

describe('the connection of the client', () => {
  let server: FakeServer;
  const ends: (() => void)[] = [];
  beforeEach(async () => {
    server = await FakeServer.open();
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) end();
    await server.close();
  });

  function connect() {
    const client = createClient('http://127.0.0.1:7511').with(realtime({ url: server.url, WebSocket }));
    ends.push(() => client.connection.close());
    return client;
  } // prettier-ignore

  function subscribe(client = connect()) {
    const subscription = client.collection('city', 'stations').subscribe();
    const events: RealtimeEvent<unknown>[] = [];
    subscription.on('event', (event) => events.push(event));
    const seen = () => events.map((event) => ('id' in event ? event.id : event.kind));
    return { client, subscription, events, seen };
  }
  const resumes = () => server.of('resume').map(({ body }) => (body?.['subscriptions'] as { cursor?: string }[])[0]);
  const resumed = { room: 'channel', controller: 'realtime', action: 'resumed', state: 'done' };
  const gap = { ...resumed, action: 'gap', result: { reason: 'node_lost', message: 'lost' } };

  it.each(Object.entries(CLOSE_CODES))('PROTO-53: close code %s', async (code, row) => {
    const hasBegun = new Promise<FakeRequest>((resolve) => (server.onRequest = resolve));
    const { client, subscription } = subscribe();
    const { socket } = await hasBegun;
    // 1006 is what the client sees without a close frame.
    if (code === '1006') socket.terminate();
    else socket.close(Number(code));
    if (row.mayReconnect) await expect.poll(() => server.of('hello').length).toBe(2);
    else {
      await expect.poll(() => client.connection.state).toBe('closed');
      expect(client.connection.error?.message).toContain(code);
      expect(subscription.status).toBe('ended');
      await expect(subscription.ready).rejects.toBe(client.connection.error);
    }
  });

  it('PROTO-43: waits as long as a stopping server says, and tells why it is back (PROTO-46)', async () => {
    let closedAtMs = 0;
    server.onRequest = ({ action, socket }) => {
      if (action !== 'hello' || closedAtMs > 0) return;
      closedAtMs = Date.now();
      socket.close(1012, '{"retryAfterMs":400}');
    };
    subscribe();
    await expect.poll(() => server.of('hello').length).toBe(2);
    // Without the reason it would have been 250 ms at most.
    expect(Date.now() - closedAtMs).toBeGreaterThanOrEqual(399);
    expect(server.of('hello')[1]?.body).toMatchObject({ v: 1, last: { reason: '1012', attempt: 1 } });
  });

  it('connects at once when the server answers over HTTP', async () => {
    server.onRequest = ({ action, socket }) => {
      const isFirst = server.of('hello').length === 1;
      if (action === 'hello' && isFirst) socket.close(1012, '{"retryAfterMs":60000}');
    };
    let status = 503;
    const body = () => ({
      requestId: 'r',
      status,
      error: status === 200 ? null : { id: 'core.stopping' },
      result: {},
    });
    const answer = async () => new Response(JSON.stringify(body()), { status });
    const client = createClient('http://127.0.0.1:7511', { fetch: answer, retries: 0 }).with(
      realtime({ url: server.url, WebSocket }),
    );
    ends.push(() => client.connection.close());
    subscribe(client);
    await expect.poll(() => client.connection.state).toBe('waiting');
    // A server that is stopping, or a proxy without one.
    await expect(client.actions.server.now()).rejects.toThrow();
    expect(client.connection.state).toBe('waiting');
    status = 200;
    await client.actions.server.now();
    await expect.poll(() => client.connection.state).toBe('open');
    expect(server.of('hello').length).toBe(2);
  });

  it('PROTO-47: takes a silent server for lost, and connects again', async () => {
    server.heartbeatMs = 1;
    const { client } = subscribe();
    await expect.poll(() => client.connection.state).toBe('open');
    await expect.poll(() => server.of('hello').length).toBe(2);
    expect(server.of('hello')[1]?.body).toMatchObject({ last: { reason: 'silence' } });
  });

  it('delivers notifications that overtake the answer (RESUME-2)', async () => {
    server.onRequest = (request) => {
      if (request.action !== 'resume') return;
      server.changed(request.socket, 'covered', 'e.1');
      server.changed(request.socket, 'early', 'e.2');
      server.answerResume(request, LIVE);
      server.changed(request.socket, 'late', 'e.3');
    };
    const { seen } = subscribe();
    await expect.poll(seen).toEqual(['early', 'late']);
  });

  it('drops what it has', async () => {
    server.onRequest = (request) => {
      if (request.action !== 'resume') return;
      server.answerResume(request, LIVE);
      for (const n of [2, 3, 3, 2, 4]) server.changed(request.socket, `d-${n}`, `e.${n}`);
    };
    const { seen, subscription } = subscribe();
    await expect.poll(seen).toEqual(['d-2', 'd-3', 'd-4']);
    expect(subscription.cursor).toBe('e.4');
  });

  it('RESUME-21: resumes by itself after a gap on a live subscription', async () => {
    let socket: WebSocket | undefined;
    server.onRequest = (request) => {
      if (request.action !== 'resume') return;
      ({ socket } = request);
      const isFirst = server.of('resume').length === 1;
      server.answerResume(request, isFirst ? LIVE : RESUMED);
      if (isFirst) {
        server.changed(socket, 'd-2', 'e.2');
        server.send(socket, gap);
        // Delivered now, it would hide that e.3 is missing.
        server.changed(socket, 'd-4', 'e.4');
      } else {
        server.changed(socket, 'd-3', 'e.3', { replayed: true });
        server.changed(socket, 'd-4', 'e.4', { replayed: true });
        server.send(socket, { ...resumed, result: { cursor: 'e.4', count: 2 } });
      }
    };
    const { seen, subscription } = subscribe();
    await expect.poll(() => server.of('resume').length).toBe(2);
    await expect.poll(() => subscription.status).toBe('live');
    expect(resumes()).toMatchObject([{}, { cursor: 'e.2' }]);
    expect(seen()).toEqual(['d-2', 'd-3', 'd-4']);
  });

  it('RESUME-21: a gap is an event if the server records no changes', async () => {
    server.onRequest = (request) => {
      if (request.action !== 'resume') return;
      const { cursor: _, ...live } = LIVE;
      server.answerResume(request, live);
      server.send(request.socket, gap);
    };
    const { client, events, seen } = subscribe();
    await expect.poll(seen).toEqual(['gap']);
    expect(events).toEqual([{ kind: 'gap', reason: 'node_lost', message: 'lost' }]);
    // So is every lost connection.
    server.requests.at(-1)?.socket.terminate();
    await expect.poll(() => server.of('resume').length).toBe(2);
    await expect.poll(() => seen().length).toBe(3);
    expect(events[1]).toMatchObject({ kind: 'gap', reason: 'not_recorded' });
    expect(client.connection.state).toBe('open');
  });

  it('RESUME-23: notices by a heartbeat that the end of a replay is missing', async () => {
    server.onRequest = (request) => {
      if (request.action !== 'resume') return;
      const { socket } = request;
      const number = server.of('resume').length;
      server.answerResume(request, number === 1 ? LIVE : { ...RESUMED, cursor: 'e.5' });
      if (number === 1) socket.terminate();
      else if (number === 2) server.send(socket, { type: 'heartbeat', cursor: 'e.5' });
      else server.send(socket, { ...resumed, result: { cursor: 'e.5', count: 0 } });
    };
    const { subscription } = subscribe();
    await expect.poll(() => server.of('resume').length).toBe(3);
    await expect.poll(() => subscription.status).toBe('live');
    expect(subscription.cursor).toBe('e.5');
  });

  it('RESUME-24: notices by a heartbeat that a notification was lost', async () => {
    let socket: WebSocket | undefined;
    const beat = (sent: number) => server.send(socket as WebSocket, { type: 'heartbeat', sent });
    server.onRequest = (request) => {
      if (request.action === 'unsubscribe') server.answer(request, {});
      if (request.action !== 'resume') return;
      const isSecond = socket !== undefined;
      ({ socket } = request);
      if (isSecond) return server.answerResume(request, { ...LIVE, roomId: 'o', channel: 'o' });
      server.answerResume(request, LIVE);
      server.changed(socket, 'd-2', 'e.2');
      beat(1);
    };
    const { client, events, seen } = subscribe();
    await expect.poll(seen).toEqual(['d-2']);
    const changed = (n: number) => server.changed(socket as WebSocket, `d-${n}`, `e.${n}`);
    // The server has sent e.3 too.
    changed(4);
    beat(3);
    changed(5);
    beat(4);
    await expect.poll(seen).toEqual(['d-2', 'd-4', 'gap', 'd-5']);
    expect(events[2]).toMatchObject({ reason: 'lost', cursor: 'e.4' });
    // Leaving may drop what was counted: the next heartbeat is believed.
    const other = client.collection('city', 'stations').subscribe({ exists: 'bikes' });
    await other.ready;
    other.close();
    await expect.poll(() => server.of('unsubscribe').length).toBe(1);
    await expect.poll(() => (beat(9), changed(6), beat(10), seen().at(-1))).toBe('d-6');
    expect(seen()).toEqual(['d-2', 'd-4', 'gap', 'd-5', 'd-6']);
  });

  it('replaces events that are not read by a gap', async () => {
    const { subscription, client } = (() => {
      const own = connect();
      return { client: own, subscription: own.collection('city', 'stations').subscribe() };
    })();
    const count = 10_500;
    server.onRequest = (request) => {
      if (request.action !== 'resume') return;
      server.answerResume(request, { ...LIVE, cursor: 'e.00000' });
      for (let n = 1; n <= count; n++) {
        const cursor = `e.${String(n).padStart(5, '0')}`;
        server.changed(request.socket, `d-${n}`, cursor);
      }
    };
    await expect.poll(() => subscription.cursor).toBe(`e.${count}`);
    const read: RealtimeEvent<unknown>[] = [];
    for await (const event of subscription) {
      read.push(event);
      if (event.cursor === `e.${count}`) break;
    }
    expect(read[0]).toMatchObject({ kind: 'gap', reason: 'slow_consumer', cursor: 'e.10001' });
    expect(read).toHaveLength(1 + count - 10_001);
    expect(client.connection.state).toBe('open');
  });
});
