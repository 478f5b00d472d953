import { createClient, type Client } from '@millrace/client';
import { follow, type Followed } from '@millrace/client/follow';
import { realtime } from '@millrace/client/realtime';
import { websocket } from '@millrace/protocol-websocket';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';

interface Station {
  readonly bikes: number;
  readonly district?: string;
}

interface Schema {
  city: { stations: Station };
}

const EMPTIEST = { sort: [{ bikes: 'asc' as const }, '_id' as const], size: 5 };

/** Deltas that don't come, or come with other hits. */
let tamper: (text: string) => string | undefined = (text) => text;
class TamperedWebSocket extends WebSocket {
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event !== 'message') return super.emit(event, ...args);
    const text = tamper(String(args[0]));
    return text === undefined || super.emit(event, Buffer.from(text), false);
  }
}

describe('followed searches of the client', () => {
  let server: StartedKernel;
  let proxy: UnreliableProxy;
  const clients: Client<Schema, 'realtime' | 'follow'>[] = [];

  beforeAll(async () => {
    server = await startKernel({ plugins: [websocket({ port: 0, heartbeatMs: 50 })] });
    const addresses = await server.kernel.start();
    const url = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
    proxy = new UnreliableProxy(new URL(url));
    await proxy.appear();
    const properties = { bikes: { type: 'integer' }, district: { type: 'keyword' } };
    await execute('index', 'create', {});
    await execute('collection', 'create', { collection: 'stations', body: { properties } });
  });
  afterEach(() => {
    tamper = (text) => text;
    for (const client of clients.splice(0)) client.connection.close();
  });
  afterAll(async () => {
    await proxy.vanish();
    await server.close();
  });

  const execute = async (controller: string, action: string, fields: object) => {
    const { error, result } = await server.kernel.execute({ controller, action, index: 'city', ...fields });
    expect(error).toBeNull();
    return result as {
      readonly hits: readonly { readonly _id: string }[];
      readonly total: number;
      readonly aggregations?: unknown;
    };
  };
  const put = (_id: string, bikes: number, district = 'north') =>
    execute('document', 'createOrReplace', { collection: 'stations', _id, body: { bikes, district } });
  const search = (body: object) => execute('document', 'search', { collection: 'stations', body });

  function stations() {
    const client = createClient<Schema>(server.url)
      .with(realtime({ url: proxy.url.replace('http', 'ws'), WebSocket: TamperedWebSocket }))
      .with(follow());
    clients.push(client);
    return client.collection('city', 'stations');
  }
  const idsOf = ({ result }: Followed<unknown>) => result?.hits.map(({ id }) => id);
  const isCurrent = async (followed: Followed<unknown>, body: object) => {
    const { hits, total, aggregations } = await search(body);
    await expect.poll(() => idsOf(followed)).toEqual(hits.map(({ _id }) => _id));
    await expect.poll(() => followed.result?.total).toBe(total);
    await expect.poll(() => followed.result?.aggregations).toEqual(aggregations);
  };

  it('keeps the result up to date', async () => {
    await put('a', 3);
    const followed = stations().follow(EMPTIEST);
    expect([followed.status, followed.result]).toEqual(['connecting', undefined]);
    expect((await followed.ready).total).toBe(1);
    let changes = 0;
    followed.onChange(() => changes++);
    await put('b', 1);
    await expect.poll(() => idsOf(followed)).toEqual(['b', 'a']);
    const [b] = followed.result?.hits ?? [];
    await put('a', 5);
    await expect.poll(() => followed.result?.hits[1]?.source.bikes).toBe(5);
    // Hits that have not changed are the same objects.
    expect(followed.result?.hits[0]).toBe(b);
    expect(changes).toBe(2);
  });

  it('follows aggregations, and a search once for all that follow it', async () => {
    const body = {
      size: 0,
      aggs: { districts: { terms: { field: 'district' }, aggs: { mean: { avg: { field: 'bikes' } } } } },
    };
    const collection = stations();
    const [one, other] = [collection.follow(body), collection.follow(body)];
    await Promise.all([one.ready, other.ready]);
    await put('c', 8, 'south');
    await isCurrent(one, body);
    expect(other.result).toBe(one.result);
    one.close();
    await put('d', 9, 'south');
    await isCurrent(other, body);
    expect([one.status, other.status]).toEqual(['ended', 'live']);
  });

  it('shows the last result without a connection, then the present one', async () => {
    const followed = stations().follow(EMPTIEST);
    await followed.ready;
    await proxy.vanish();
    await expect.poll(() => followed.status).toBe('waiting');
    const before = idsOf(followed);
    await put('lost', -1);
    expect(idsOf(followed)).toEqual(before);
    await proxy.appear();
    await expect.poll(() => followed.status).toBe('live');
    await isCurrent(followed, EMPTIEST);
  });

  it('asks again after a delta that was lost, or leads to another result than the server has (FOLLOW-6)', async () => {
    const followed = stations().follow(EMPTIEST);
    await followed.ready;
    let dropped = 0;
    tamper = (text) => {
      if (!text.includes('"followed"') || dropped > 0) return text;
      dropped++;
      return undefined;
    };
    await put('dropped', 2);
    await expect.poll(() => dropped).toBe(1);
    await put('next', 2);
    await isCurrent(followed, EMPTIEST);
    tamper = (text) => (text.includes('"followed"') ? text.replace(/"_version":1(?=[,}])/g, '"_version":7') : text);
    await put('changed on the way', -2);
    await expect.poll(() => idsOf(followed)).toContain('changed on the way');
    tamper = (text) => text;
    await put('after', -3);
    await isCurrent(followed, EMPTIEST);
    expect(followed.result?.hits.every(({ version }) => version !== 7)).toBe(true);
  });

  it('ends with the error of the server', async () => {
    const followed = stations().follow({ query: { nonsense: {} } });
    await expect(followed.ready).rejects.toMatchObject({ id: 'query.invalid' });
    expect(followed.status).toBe('ended');
    expect(followed.error).toMatchObject({ status: 400 });
  });

  it('needs realtime()', () => {
    expect(() => createClient(server.url).with(follow())).toThrow('follow() needs realtime()');
  });
});
