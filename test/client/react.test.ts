import { createClient } from '@millrace/client';
import { follow } from '@millrace/client/follow';
import { realtime } from '@millrace/client/realtime';
import {
  dehydrate,
  hydrate,
  prefetchDocument,
  prefetchFollow,
  prefetchSearch,
  useConnection,
  useDocument,
  useFollow,
  usePresence,
  useSearch,
} from '@millrace/react';
import { websocket } from '@millrace/protocol-websocket';
import { startTestKernel, type TestKernel } from '@millrace/testing';
// React is published without types.
// @ts-expect-error no declarations
import { createElement as untyped } from 'react';
// @ts-expect-error no declarations
import { renderToString as untypedRender } from 'react-dom/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

const createElement = untyped as (component: () => string) => object;
const renderToString = untypedRender as (element: object) => string;

interface Schema {
  city: { stations: { bikes: number } };
}

describe('the hooks on a server', () => {
  let server: TestKernel;
  beforeAll(async () => {
    server = await startTestKernel({ plugins: [websocket()] });
    await write('s-1', 1);
  });
  afterAll(() => server.close());

  const write = async (id: string, bikes: number) =>
    expect((await server.ask('PUT', `/city/stations/${id}`, { bikes })).status).toBe(200);
  const open = () =>
    createClient<Schema>(server.url)
      .with(realtime({ url: server.urlOf('websocket'), WebSocket }))
      .with(follow());

  /** What a page with two hooks looks like. */
  function render(client: ReturnType<typeof open>): string {
    const stations = client.collection('city', 'stations');
    const Page = () => {
      const one = useDocument(stations, 's-1');
      const all = useSearch(stations, { sort: [{ bikes: 'asc' }] });
      const hits = all.data?.hits.map(({ id }) => id).join(' ');
      return `${useConnection(client)}: ${one.data?.source.bikes} of ${hits} (${one.status})`;
    };
    return renderToString(createElement(Page));
  }

  it('show what was prefetched, connect nowhere, and hydrate a page that continues from there', async () => {
    const client = open();
    expect(render(client)).toBe('idle: undefined of undefined (loading)');
    const stations = client.collection('city', 'stations');
    await prefetchDocument(stations, 's-1');
    await prefetchSearch(stations, { sort: [{ bikes: 'asc' }] });
    expect(render(client)).toBe('idle: 1 of s-1 (loading)');
    expect(client.connection.state).toBe('idle');
    const state = JSON.parse(JSON.stringify(dehydrate(client))) as ReturnType<typeof dehydrate>;
    const cursors = Object.values(state).map(({ cursor }) => cursor);
    expect(cursors).toEqual([expect.any(String), expect.any(String)]);

    const page = open();
    hydrate(page, state);
    expect(render(page)).toBe('idle: 1 of s-1 (loading)');
    // The page resumes from the position of the server: what was written in between comes as an event.
    await write('s-1', 2);
    const resumed = page
      .collection('city', 'stations')
      .subscribe({ ids: { values: ['s-1'] } }, { cursor: cursors[0] ?? '' });
    const first = await resumed[Symbol.asyncIterator]().next();
    expect(first.value).toMatchObject({ kind: 'changed', source: { bikes: 2 }, replayed: true });
    page.connection.close();
  });

  it('show a followed search that was prefetched, until the page has the one of the server', async () => {
    const client = open();
    const search = { sort: [{ bikes: 'asc' as const }] };
    await prefetchFollow(client.collection('city', 'stations'), search);
    const state = JSON.parse(JSON.stringify(dehydrate(client))) as ReturnType<typeof dehydrate>;
    expect(client.connection.state).toBe('idle');
    const page = open();
    hydrate(page, state);
    const show = () => {
      const stations = page.collection('city', 'stations');
      const { data, status } = useFollow(stations, search);
      const [here] = usePresence(stations).data?.users ?? [];
      const live = useSearch(stations, search, { live: true });
      // Both are one view.
      expect(live.data).toBe(data);
      return `${data?.total}: ${data?.hits.map(({ id, version }) => `${id} ${version}`).join()} ${status} ${here?.userId ?? 'alone'}`;
    };
    expect(renderToString(createElement(show))).toMatch(/^1: s-1 \d+ loading alone$/);
  });

  it('share nothing between the clients of two requests', async () => {
    const [mine, yours] = [open(), open()];
    await prefetchDocument(mine.collection('city', 'stations'), 's-1');
    expect(render(yours)).toBe('idle: undefined of undefined (loading)');
    expect(dehydrate(yours)).toEqual({});
  });
});
