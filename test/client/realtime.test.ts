import { createClient, isError, type Client } from '@millrace/client';
import { realtime, type RealtimeEvent, type Subscription } from '@millrace/client/realtime';
import { websocket } from '@millrace/protocol-websocket';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';

interface Station {
  readonly colour: string;
  readonly bikes?: number;
}

interface Schema {
  city: { stations: Station; rooms: Station; quiet: Station; many: Station; gone: Station };
}

const RED = { equals: { colour: 'red' } };

/** What the client has sent, of all connections. */
const sent: string[] = [];
class RecordingWebSocket extends WebSocket {
  override send(text: string): void {
    sent.push(text);
    super.send(text);
  }
}

/** Loses what the server notifies about the document `lost`. */
class LossyWebSocket extends RecordingWebSocket {
  override emit(event: string, ...sent: unknown[]): boolean {
    const isLost = event === 'message' && String(sent[0]).includes('"_id":"lost"');
    return !isLost && super.emit(event, ...sent);
  }
}

/** The kinds and ids of what a subscription receives, and the status and kind when something happens to it. */
function record(subscription: Subscription<Station>) {
  const events: RealtimeEvent<Station>[] = [];
  subscription.on('event', (event) => events.push(event));
  const ids = () => events.map((event) => `${event.kind} ${'id' in event ? event.id : ''}`);
  return { events, ids };
}

describe('realtime of the client', () => {
  let server: StartedKernel;
  let proxy: UnreliableProxy;
  const clients: Client<Schema, 'realtime'>[] = [];

  beforeAll(async () => {
    server = await startKernel({ plugins: [websocket({ port: 0, heartbeatMs: 50 })] });
    const addresses = await server.kernel.start();
    const url = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
    proxy = new UnreliableProxy(new URL(url));
    await proxy.appear();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.connection.close();
  });
  afterAll(async () => {
    await proxy.vanish();
    await server.close();
  });

  function connect(Socket = RecordingWebSocket): Client<Schema, 'realtime'> {
    const client = createClient<Schema>(server.url).with(
      realtime({ url: proxy.url.replace('http', 'ws'), WebSocket: Socket }),
    );
    clients.push(client);
    return client;
  }

  const write = async (collection: string, _id: string, body: object) => {
    const fields = { index: 'city', collection, _id, body: { ...body } };
    const { status } = await server.kernel.execute({ controller: 'document', action: 'createOrReplace', ...fields });
    expect(status).toBe(200);
  };
  const remove = (collection: string, _id: string) =>
    server.kernel.execute({ controller: 'document', action: 'delete', index: 'city', collection, _id });
  const rooms = async (collection: string) => {
    const { result } = await server.kernel.execute({ controller: 'realtime', action: 'list' });
    const { city = {} } = result as { readonly city?: Record<string, Record<string, number>> };
    return city[collection] ?? {};
  };

  it('connects with the first subscription, and disconnects after the last one', async () => {
    const client = connect();
    expect(client.connection.state).toBe('idle');
    const states: string[] = [];
    client.connection.onState((state) => states.push(state));
    const subscription = client.collection('city', 'stations').subscribe(RED);
    expect(subscription.status).toBe('connecting');
    await subscription.ready;
    expect(subscription.status).toBe('live');
    expect(subscription.cursor).toMatch(/^\w+\.\w+$/);
    expect(Object.values(await rooms('stations'))).toEqual([1]);
    subscription.close();
    expect(subscription.status).toBe('ended');
    await expect.poll(() => rooms('stations')).toEqual({});
    await expect.poll(() => client.connection.state).toBe('idle');
    expect(states).toEqual(['connecting', 'open', 'idle']);
  });

  it('gives the changes of documents and the messages that match', async () => {
    const client = connect();
    const stations = client.collection('city', 'stations');
    const subscription = stations.subscribe(RED);
    await subscription.ready;
    await write('stations', 's-1', { colour: 'red', bikes: 1 });
    await write('stations', 's-1', { colour: 'red', bikes: 2 });
    await write('stations', 's-2', { colour: 'blue' });
    await write('stations', 's-1', { colour: 'blue' });
    await write('stations', 's-2', { colour: 'red' });
    await remove('stations', 's-2');
    await stations.publish({ colour: 'red', _id: 'm-1' });
    const events: RealtimeEvent<Station>[] = [];
    for await (const event of subscription) {
      events.push(event);
      if (event.kind === 'message') break;
    }
    expect(events).toMatchObject([
      { kind: 'changed', action: 'create', id: 's-1', version: 1, source: { bikes: 1 }, replayed: false },
      { kind: 'changed', action: 'update', id: 's-1', version: 2, source: { bikes: 2 } },
      { kind: 'left', action: 'update', id: 's-1', version: 3 },
      { kind: 'changed', action: 'update', id: 's-2', version: 2 },
      { kind: 'left', action: 'delete', id: 's-2' },
      { kind: 'message', id: 'm-1', source: { colour: 'red' } },
    ]); // prettier-ignore
    const cursors = events.flatMap(({ cursor = [] }) => cursor);
    expect(cursors).toHaveLength(5);
    expect(cursors).toEqual([...new Set(cursors)].sort());
    // Leaving the loop has closed it.
    expect(subscription.status).toBe('ended');
  });

  it('tells of users, and lists those that show themselves (PROTO-75)', async () => {
    const [ada, grace] = [connect(), connect()].map((client) => client.collection('city', 'rooms'));
    const watching = ada?.subscribe({}, { users: 'all', scope: 'none' });
    await watching?.ready;
    const { events } = record(watching as Subscription<Station>);
    const shown = grace?.subscribe({}, { presence: { name: 'Grace' } });
    await shown?.ready;
    await expect.poll(() => events.length).toBe(1);
    expect(await watching?.presence()).toMatchObject({
      count: 2,
      total: 1,
      users: [{ presence: { name: 'Grace' } }],
    });
    shown?.close();
    await expect.poll(() => events.length).toBe(2);
    expect(events).toMatchObject([
      { kind: 'users', change: 'in', count: 2, presence: { name: 'Grace' } },
      { kind: 'users', change: 'out', count: 1 },
    ]);
  });

  it('subscribes once for equal filters, and leaves with the last of them', async () => {
    const client = connect();
    const rooms1 = client.collection('city', 'rooms');
    const filter = { and: [{ exists: 'bikes' }, RED] };
    const all = [rooms1.subscribe(filter), rooms1.subscribe(structuredClone(filter))];
    // Another channel of the same room: leaving one must not end the other (PROTO-72).
    const entering = rooms1.subscribe(filter, { scope: 'in' });
    const before = sent.length;
    await Promise.all([...all, entering].map(({ ready }) => ready));
    const resumes = sent.slice(before).filter((text) => text.includes('"resume"'));
    expect(resumes).toHaveLength(1);
    expect((JSON.parse(resumes[0] ?? '') as { body: { subscriptions: unknown[] } }).body.subscriptions).toHaveLength(2);
    const recorded = [...all, entering].map(record);
    all[0]?.close();
    await write('rooms', 'r-1', { colour: 'red', bikes: 1 });
    await expect.poll(() => recorded.map(({ ids }) => ids())).toEqual([[], ['changed r-1'], ['changed r-1']]);
    all[1]?.close();
    await write('rooms', 'r-2', { colour: 'red', bikes: 1 });
    await expect.poll(() => recorded[2]?.ids()).toEqual(['changed r-1', 'changed r-2']);
    entering.close();
    await expect.poll(() => rooms('rooms')).toEqual({});
  });

  it('sends what was missed after a cut, once and in order (RESUME-10)', async () => {
    const client = connect();
    const subscription = client.collection('city', 'stations').subscribe(RED);
    const { events, ids } = record(subscription);
    const statuses: string[] = [];
    subscription.on('status', (status) => statuses.push(status));
    await subscription.ready;
    await write('stations', 'c-1', { colour: 'red' });
    await expect.poll(ids).toEqual(['changed c-1']);
    await proxy.vanish();
    await expect.poll(() => client.connection.state).not.toBe('open');
    expect(subscription.status).toBe('resuming');
    await write('stations', 'c-2', { colour: 'red' });
    await write('stations', 'c-1', { colour: 'blue' });
    await proxy.appear();
    await expect.poll(() => subscription.status).toBe('live');
    await write('stations', 'c-3', { colour: 'red' });
    await expect.poll(ids).toEqual(['changed c-1', 'changed c-2', 'left c-1', 'changed c-3']);
    const replayed = events.map((event) => 'replayed' in event && event.replayed);
    expect(replayed).toEqual([false, true, true, false]);
    expect(statuses).toEqual(['live', 'resuming', 'live']);
  });

  it('continues after a cursor of an earlier program, also on a filter that is live', async () => {
    const stations = connect().collection('city', 'stations');
    const early = stations.subscribe(RED);
    await early.ready;
    const { cursor } = early;
    await write('stations', 'e-1', { colour: 'red' });
    await write('stations', 'e-2', { colour: 'red' });
    const first = record(early);
    await expect.poll(first.ids).toEqual(['changed e-1', 'changed e-2']);
    const late = stations.subscribe(RED, { cursor: cursor ?? '' });
    const second = record(late);
    await expect.poll(second.ids).toEqual(['changed e-1', 'changed e-2']);
    await late.ready;
    await write('stations', 'e-3', { colour: 'red' });
    await expect.poll(second.ids).toEqual(['changed e-1', 'changed e-2', 'changed e-3']);
    await expect.poll(first.ids).toEqual(['changed e-1', 'changed e-2', 'changed e-3']);
  });

  it('a heartbeat moves the cursor of a quiet subscription (RESUME-23)', async () => {
    const subscription = connect().collection('city', 'quiet').subscribe(RED);
    await subscription.ready;
    const before = subscription.cursor ?? '';
    await write('quiet', 'q-1', { colour: 'blue' });
    await expect.poll(() => (subscription.cursor ?? '') > before).toBe(true);
  });

  it('RESUME-24: a notification that is lost on its way is a gap for all, by the next heartbeat', async () => {
    const client = connect(LossyWebSocket);
    const [red, all] = [RED, {}].map((filter) => client.collection('city', 'many').subscribe(filter));
    const [one, two] = [record(red as Subscription<Station>), record(all as Subscription<Station>)];
    await Promise.all([red?.ready, all?.ready]);
    await write('many', 'first', { colour: 'red' });
    await write('many', 'lost', { colour: 'red' });
    await write('many', 'last', { colour: 'blue' });
    await expect.poll(one.ids).toEqual(['changed first', 'gap ']);
    await expect.poll(two.ids).toContain('gap ');
    expect(one.events[1]).toMatchObject({ reason: 'lost', cursor: expect.any(String) as string });
    await write('many', 'later', { colour: 'red' });
    await expect.poll(one.ids).toEqual(['changed first', 'gap ', 'changed later']);
    expect(two.ids().filter((id) => id !== 'gap ')).toEqual(['changed first', 'changed last', 'changed later']);
  });

  it('reports a gap where the changes are gone, then continues (RESUME-20)', async () => {
    const client = connect();
    const subscription = client.collection('city', 'gone').subscribe(RED);
    const { events, ids } = record(subscription);
    const gaps: unknown[] = [];
    subscription.on('gap', (gap) => gaps.push(gap));
    await subscription.ready;
    await proxy.vanish();
    await expect.poll(() => client.connection.state).not.toBe('open');
    await write('gone', 'g-1', { colour: 'red' });
    await server.kernel.execute({ controller: 'collection', action: 'truncate', index: 'city', collection: 'gone' });
    await proxy.appear();
    await expect.poll(ids).toEqual(['gap ']);
    await write('gone', 'g-2', { colour: 'red' });
    await expect.poll(ids).toEqual(['gap ', 'changed g-2']);
    expect(events[0]).toMatchObject({ kind: 'gap', reason: 'wiped', cursor: expect.any(String) as string });
    expect(gaps).toEqual([events[0]]);
  });

  it('a cursor that the server does not know is a gap (RESUME-3)', async () => {
    const cursor = 'zzzzzzzz.zzzzzzzzzzzz';
    const subscription = connect().collection('city', 'gone').subscribe(RED, { cursor });
    const { events } = record(subscription);
    await subscription.ready;
    expect(events).toMatchObject([{ kind: 'gap', reason: 'epoch_changed' }]);
  });

  it('a refused filter ends the subscription with the error of the server', async () => {
    const stations = connect().collection('city', 'stations');
    const good = stations.subscribe(RED);
    const bad = stations.subscribe({ equal: { colour: 'red' } });
    await good.ready;
    const error = await bad.ready.catch((thrown: unknown) => thrown);
    expect(isError(error, 'realtime.invalid_filter')).toBe(true);
    expect(bad).toMatchObject({ status: 'ended', error });
    await expect(bad[Symbol.asyncIterator]().next()).rejects.toBe(error);
  });

  it('resumes 250 subscriptions by three messages (RESUME-16)', async () => {
    const client = connect();
    const many = client.collection('city', 'many');
    const all = Array.from({ length: 250 }, (_, n) => many.subscribe({ equals: { bikes: n } }));
    const recorded = all.map(record);
    await Promise.all(all.map(({ ready }) => ready));
    await proxy.vanish();
    await expect.poll(() => client.connection.state).not.toBe('open');
    const before = sent.length;
    for (const n of [3, 120, 249]) await write('many', `m-${n}`, { colour: 'red', bikes: n });
    await proxy.appear();
    await expect.poll(() => all.every(({ status }) => status === 'live')).toBe(true);
    expect(sent.slice(before).filter((text) => text.includes('"action":"resume"'))).toHaveLength(3);
    expect(recorded.flatMap(({ ids }) => ids())).toEqual(['changed m-3', 'changed m-120', 'changed m-249']);
  });

  it('sends requests over the connection if the client wants that', async () => {
    const url = proxy.url.replace('http', 'ws');
    const client = createClient<Schema>(server.url, { fetch: () => Promise.reject(new Error('over HTTP')) }).with(
      realtime({ url, WebSocket: RecordingWebSocket, requests: 'socket' }),
    );
    clients.push(client);
    await expect(client.collection('city', 'stations').get('s-1')).rejects.toThrow('over HTTP');
    await client.collection('city', 'stations').subscribe().ready;
    expect(await client.collection('city', 'stations').get('s-1')).toMatchObject({ id: 's-1' });
    expect(await client.collection('city', 'stations').get('nowhere')).toBeNull();
  });
});
