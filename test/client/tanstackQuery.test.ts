// The adapter with the real query cache, in Node: components of React use it in the same way.
import { createClient } from '@millrace/client';
import { realtime } from '@millrace/client/realtime';
import { connect, documentOptions, searchOptions } from '@millrace/react/query';
import { websocket } from '@millrace/protocol-websocket';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { QueryClient, QueryObserver } from '@tanstack/query-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

interface Schema {
  city: Record<string, { bikes: number }>;
}

describe('queries of TanStack Query', () => {
  let server: TestKernel;
  let queryClient: QueryClient;
  const ends: (() => void)[] = [];

  beforeAll(async () => {
    server = await startTestKernel({ plugins: [websocket({ heartbeatMs: 100 })] });
  });
  beforeEach(() => {
    queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
    ends.push(connect(queryClient), () => queryClient.clear());
  });
  afterEach(() => {
    for (const end of ends.splice(0).reverse()) end();
  });
  afterAll(() => server.close());

  function open(name: string) {
    const client = createClient<Schema>(server.url).with(realtime({ url: server.urlOf('websocket'), WebSocket }));
    ends.push(() => client.connection.close());
    return { client, stations: client.collection('city', name) };
  }
  const write = async (name: string, id: string, bikes: number) =>
    expect((await server.ask('PUT', `/city/${name}/${id}?refresh`, { bikes })).status).toBe(200);

  it('write a document into the cache at each change, and null when it is gone', async () => {
    await write('documents', 's-1', 1);
    const { stations } = open('documents');
    let reads = 0;
    const options = documentOptions(stations, 's-1');
    const counted = {
      ...options,
      queryFn: (context: { readonly signal: AbortSignal }) => (reads++, options.queryFn(context)),
    };
    const observer = new QueryObserver(queryClient, counted);
    const seen: unknown[] = [];
    ends.push(observer.subscribe(({ data }) => seen.push(data === null ? null : data?.source.bikes)));
    await expect.poll(() => seen.at(-1)).toBe(1);
    // Once more when the subscription is live: then nothing is missing.
    await expect.poll(() => reads).toBe(2);
    await expect.poll(() => queryClient.isFetching()).toBe(0);
    await write('documents', 's-1', 2);
    await expect.poll(() => seen.at(-1)).toBe(2);
    expect(queryClient.getQueryData(options.queryKey)).toMatchObject({ id: 's-1', version: 2 });
    await stations.delete('s-1');
    await expect.poll(() => seen.at(-1)).toBe(null);
    expect(reads).toBe(2);
  });

  it('read a search again when a document of its filter changes, and end with the last component', async () => {
    await write('searches', 's-1', 1);
    const { client, stations } = open('searches');
    const options = searchOptions(stations, { sort: [{ bikes: 'asc' }], size: 100 }, { filter: { exists: 'bikes' } });
    const observers = [1, 2].map(() => new QueryObserver(queryClient, options));
    const leave = observers.map((observer) => observer.subscribe(() => undefined));
    const ids = () => observers[0]?.getCurrentResult().data?.hits.map(({ id }) => id);
    await expect.poll(ids).toEqual(['s-1']);
    for (let n = 2; n < 20; n++) await write('searches', `s-${n}`, -n);
    await expect.poll(() => ids()?.length).toBe(19);
    expect(ids()?.[0]).toBe('s-19');
    expect(queryClient.getQueryCache().getAll()).toHaveLength(1);
    for (const end of leave) end();
    await expect.poll(() => client.connection.state, { timeout: 30_000 }).toBe('idle');
  }, 60_000);

  it('read again after a gap', async () => {
    await write('lost', 's-1', 1);
    const { stations } = open('lost');
    const observer = new QueryObserver(queryClient, documentOptions(stations, 's-1'));
    ends.push(observer.subscribe(() => undefined));
    const bikes = () => observer.getCurrentResult().data?.source.bikes;
    await expect.poll(bikes).toBe(1);
    await server.ask('DELETE', '/city/lost/_truncate');
    await expect.poll(bikes).toBe(undefined);
    await write('lost', 's-1', 5);
    await expect.poll(bikes).toBe(5);
  });

  it('show why a query fails, and take no notice of other queries', async () => {
    const { client, stations } = open('failing');
    const failing = new QueryObserver(queryClient, searchOptions(stations, { sort: [{ '': 'asc' }] } as object));
    ends.push(failing.subscribe(() => undefined));
    await expect.poll(() => failing.getCurrentResult().error).toMatchObject({ status: 400 });
    const other = new QueryObserver(queryClient, { queryKey: ['other'], queryFn: () => 1 });
    ends.push(other.subscribe(() => undefined));
    await expect.poll(() => other.getCurrentResult().data).toBe(1);
    // Removed from the cache, a query needs no subscription.
    queryClient.removeQueries({ queryKey: ['millrace'] });
    await expect.poll(() => client.connection.state).toBe('idle');
  });
});
