// The stores behind the hooks. The hooks themselves run in Chromium (test/browser/reactPage.test.ts).
import { createClient } from '@millrace/client';
import { follow } from '@millrace/client/follow';
import { realtime } from '@millrace/client/realtime';
import { websocket } from '@millrace/protocol-websocket';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { documentView, followedView, presenceView, searchView } from '../../packages/react/src/views.js';

interface Schema {
  city: { stations: { bikes: number } };
}

const sockets: WebSocket[] = [];
class KnownWebSocket extends WebSocket {
  constructor(url: string | URL) {
    super(url);
    sockets.push(this);
  }
}

describe('the views of a client', () => {
  let server: TestKernel;
  beforeAll(async () => {
    server = await startTestKernel({ plugins: [websocket()] });
    await write('s-1', 1);
  });
  afterAll(() => server.close());

  const write = async (id: string, bikes: number) =>
    expect((await server.ask('PUT', `/city/stations/${id}?refresh`, { bikes })).status).toBe(200);
  const open = () =>
    createClient<Schema>(server.url)
      .with(realtime({ url: server.urlOf('websocket'), WebSocket: KnownWebSocket }))
      .with(follow());

  it('follow a document through changes, its removal and its return', async () => {
    const client = open();
    const stations = client.collection('city', 'stations');
    const view = documentView(stations, 's-1');
    expect(documentView(stations, 's-1')).toBe(view);
    const seen: string[] = [];
    const end = view.subscribe(() => {
      const { data, status } = view.getSnapshot();
      seen.push(`${status} ${data === undefined ? '?' : (data?.source.bikes ?? 'none')}`);
    });
    await expect.poll(() => seen.at(-1)).toBe('live 1');
    await write('s-1', 2);
    await expect.poll(() => seen.at(-1)).toBe('live 2');
    expect(view.seed).toMatchObject({ data: { id: 's-1', source: { bikes: 2 } } });
    await stations.delete('s-1');
    await expect.poll(() => seen.at(-1)).toBe('live none');
    await write('s-1', 3);
    await expect.poll(() => seen.at(-1)).toBe('live 3');
    end();
    // Kept for 5 s, in which React may mount a component again.
    expect(documentView(stations, 's-1')).toBe(view);
    const isForgotten = () => documentView(stations, 's-1') !== view;
    await expect.poll(isForgotten, { timeout: 30_000 }).toBe(true);
    client.connection.close();
  }, 60_000);

  it('read a search again when a document of its filter changes, and show why it fails', async () => {
    const client = open();
    const stations = client.collection('city', 'stations');
    await write('s-2', 7);
    const view = searchView(stations, { sort: [{ bikes: 'asc' }] }, { filter: { exists: 'bikes' } });
    const end = view.subscribe(() => undefined);
    const ids = () => view.getSnapshot().data?.hits.map(({ id }) => id);
    await expect.poll(ids).toEqual(['s-1', 's-2']);
    await write('s-2', 0);
    await expect.poll(ids).toEqual(['s-2', 's-1']);
    end();
    const failing = searchView(stations, { sort: [{ '': 'asc' }] } as object, {});
    const endFailing = failing.subscribe(() => undefined);
    await expect.poll(() => failing.getSnapshot().status).toBe('error');
    expect(failing.getSnapshot().error).toMatchObject({ status: 400 });
    endFailing();
    client.connection.close();
  });

  it('begin again, without the data and the error of before, when a component mounts after a refusal', async () => {
    const client = createClient(server.url)
      .with(realtime({ url: server.urlOf('websocket'), WebSocket: KnownWebSocket }))
      .with(follow());
    expect((await server.ask('PUT', '/later/stations/s-0?refresh', { name: 'first' })).status).toBe(200);
    const view = followedView(client.collection('later', 'stations'), { sort: ['bikes'] }, {});
    const end = view.subscribe(() => undefined);
    await expect.poll(() => view.getSnapshot().status).toBe('error');
    end();
    expect((await server.ask('PUT', '/later/stations/s-1?refresh', { bikes: 1 })).status).toBe(200);
    // At once, while the view is kept.
    const endAgain = view.subscribe(() => undefined);
    expect(view.getSnapshot()).toEqual({ data: undefined, status: 'loading', error: undefined });
    await expect.poll(() => view.getSnapshot().data?.hits.map(({ id }) => id)).toEqual(['s-1', 's-0']);
    endAgain();
    client.connection.close();
  });

  it('show that a reading has failed, and read again after the next connection', async () => {
    let isCut = false;
    const client = createClient<Schema>(server.url, {
      retries: 0,
      fetch: (...request) => (isCut ? Promise.reject(new TypeError('no network')) : fetch(...request)),
    }).with(realtime({ url: server.urlOf('websocket'), WebSocket: KnownWebSocket }));
    const view = searchView(client.collection('city', 'stations'), { query: { ids: { values: ['r-1'] } } }, {});
    const end = view.subscribe(() => undefined);
    await expect.poll(() => view.getSnapshot().status).toBe('live');
    isCut = true;
    await write('r-1', 1);
    await expect.poll(() => view.getSnapshot().status).toBe('error');
    expect(view.getSnapshot().error).toMatchObject({ name: 'NetworkError' });
    isCut = false;
    for (const socket of sockets) socket.terminate();
    await expect.poll(() => view.getSnapshot()).toMatchObject({ status: 'live', data: { total: 1 }, error: undefined });
    end();
    client.connection.close();
  });

  it('follow a search, with its total and aggregations, and show why it fails', async () => {
    const client = open();
    const stations = client.collection('city', 'stations');
    await write('f-1', 20);
    const search = {
      query: { range: { bikes: { gte: 20 } } },
      sort: [{ bikes: 'asc' as const }],
      aggs: { sum: { sum: { field: 'bikes' } } },
    };
    const view = followedView(stations, search, { maxRateMs: 10 });
    expect(followedView(stations, search, { maxRateMs: 10 })).toBe(view);
    const statuses = new Set([view.getSnapshot().status]);
    const end = view.subscribe(() => statuses.add(view.getSnapshot().status));
    const bikes = () => view.getSnapshot().data?.hits.map(({ source }) => source.bikes);
    await expect.poll(bikes).toEqual([20]);
    const first = view.getSnapshot().data?.hits[0];
    await write('f-2', 30);
    await expect.poll(bikes).toEqual([20, 30]);
    const { data, status } = view.getSnapshot();
    expect(data?.hits[0]).toBe(first);
    expect([data?.total, data?.aggregations, status]).toEqual([2, { sum: { value: 50 } }, 'live']);
    expect([...statuses]).toEqual(['loading', 'live']);
    end();
    const failing = followedView(stations, { sort: [{ '': 'asc' }] } as object, {});
    const endFailing = failing.subscribe(() => undefined);
    await expect.poll(() => failing.getSnapshot().status).toBe('error');
    expect(failing.getSnapshot().error).toMatchObject({ status: 400 });
    endFailing();
    client.connection.close();
  });

  it('keep the last result of a followed search while the connection is lost', async () => {
    const client = open();
    const view = followedView(client.collection('city', 'stations'), { size: 1 }, {});
    const statuses: string[] = [];
    const end = view.subscribe(() => statuses.push(view.getSnapshot().status));
    await expect.poll(() => statuses.at(-1)).toBe('live');
    for (const socket of sockets) socket.terminate();
    await expect.poll(() => statuses).toContain('resuming');
    expect(view.getSnapshot().data?.hits).toHaveLength(1);
    await expect.poll(() => statuses.at(-1)).toBe('live');
    end();
    client.connection.close();
  });

  it('show who is in a room, and not its messages', async () => {
    const [mine, yours] = [open(), open()];
    const view = presenceView(mine.collection('city', 'stations'), {}, { name: 'Ada' });
    let changes = 0;
    const end = view.subscribe(() => changes++);
    const names = () => view.getSnapshot().data?.users.map(({ presence }) => presence['name']);
    await expect.poll(names).toEqual(['Ada']);
    const other = presenceView(yours.collection('city', 'stations'), {}, { name: 'Grace' });
    const endOther = other.subscribe(() => undefined);
    await expect.poll(names).toEqual(['Ada', 'Grace']);
    expect(view.getSnapshot().data?.count).toBe(2);
    yours.connection.close();
    await expect.poll(names).toEqual(['Ada']);
    endOther();
    end();
    mine.connection.close();
    expect(changes).toBeGreaterThan(2);
  });
});
