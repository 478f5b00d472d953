import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';

const AT = { index: 'city', collection: 'stations' };
const RED = { equals: { colour: 'red' } };

interface Subscribed {
  readonly roomId: string;
  readonly channel: string;
  readonly timestamp: number;
}

describe('realtime (PROTO-81)', () => {
  let server: StartedKernel;
  let protocol: MemoryProtocol;

  const open = async (config: JsonObject = {}) => {
    protocol = new MemoryProtocol();
    server = await startKernel({ plugins: [protocol.plugin], config });
  };
  const write = (action: string, _id: string, body: JsonObject = {}, more: JsonObject = {}) =>
    server.kernel.execute({ controller: 'document', action, ...AT, _id, body, ...more });
  const subscribe = async (client: MemoryClient, fields: JsonObject = {}) => {
    const response = await client.request({
      controller: 'realtime',
      action: 'subscribe',
      ...AT,
      body: RED,
      ...fields,
    });
    expect(response.error).toBeNull();
    return response.result as unknown as Subscribed;
  };
  const ask = (client: MemoryClient, action: string, fields: JsonObject) =>
    client.request({ controller: 'realtime', action, ...fields });

  beforeEach(() => open());
  afterEach(() => server.close());

  it('tells by effect, whatever the action (PROTO-81, FILTER-1)', async () => {
    const client = protocol.connect();
    const { channel } = await subscribe(client);
    await write('create', 'a', { colour: 'red' });
    await write('createOrReplace', 'a', { colour: 'red', n: 1 });
    await write('update', 'a', { colour: 'blue' });
    await write('update', 'a', { n: 2 });
    await write('replace', 'a', { colour: 'red' });
    await write('delete', 'a');
    await write('create', 'b', { colour: 'blue' });
    await write('delete', 'b');
    expect(client.heard(channel)).toEqual([
      'create in a', 'update in a', 'update out a', 'update in a', 'delete out a',
    ]); // prettier-ignore
    const [first] = client.received;
    expect(first?.message).toMatchObject({
      status: 200,
      error: null,
      controller: 'document',
      ...AT,
      state: 'done',
      metadata: {},
      result: { _id: 'a', _source: { colour: 'red' } },
      timestamp: expect.any(Number) as number,
    });
  });

  it('gives equal filters one room and each option set a separate channel (PROTO-70, PROTO-71)', async () => {
    const [one, two] = [protocol.connect(), protocol.connect()];
    const first = await subscribe(one);
    const same = await subscribe(two, { body: { in: { colour: ['red'] } } });
    const other = await subscribe(two, { scope: 'out' });
    expect(same).toMatchObject({ roomId: first.roomId, channel: first.channel });
    expect(other.roomId).toBe(first.roomId);
    expect(other.channel).not.toBe(first.channel);
    const count = await ask(one, 'count', { body: { roomId: first.roomId } });
    expect(count.result).toEqual({ roomId: first.roomId, count: 2 });
    await write('create', 'a', { colour: 'red' });
    await write('delete', 'a');
    expect(two.heard(first.channel)).toEqual(['create in a', 'delete out a']);
    expect(two.heard(other.channel)).toEqual(['delete out a']);
  });

  it('keeps the order of a bulk, also where it takes several turns', async () => {
    const client = protocol.connect();
    const { channel } = await subscribe(client, { body: {} });
    const bulkData = Array.from({ length: 20_000 }, (_, n) => [{ index: { _id: `d${n}` } }, { n }]);
    const fields = { controller: 'bulk', action: 'import', ...AT, body: { bulkData: bulkData.flat() } };
    expect((await server.kernel.execute(fields)).status).toBe(200);
    await write('create', 'last', {});
    while (client.heard(channel).at(-1) !== 'create in last') {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const expected = Array.from({ length: 20_000 }, (_, n) => `create in d${n}`);
    expect(client.heard(channel)).toEqual([...expected, 'create in last']);
  });

  it('sends nothing more for a channel after unsubscribe (PROTO-72)', async () => {
    const client = protocol.connect();
    const { roomId, channel } = await subscribe(client);
    const { result } = await ask(client, 'unsubscribe', { body: { roomId } });
    expect(result).toEqual({ roomId });
    await write('create', 'a', { colour: 'red' });
    expect(client.heard(channel)).toEqual([]);
    expect(client.channels.size).toBe(0);
    for (const action of ['unsubscribe', 'count', 'join']) {
      expect((await ask(client, action, { body: { roomId } })).status, action).toBe(404);
    }
  });

  it('tells the others in a room who comes and goes, and never the one that acts (PROTO-84)', async () => {
    const [host, guest] = [protocol.connect(), protocol.connect()];
    const { roomId, channel } = await subscribe(host, { users: 'all' });
    const metadata = { name: 'guest' };
    await ask(guest, 'join', { body: { roomId }, metadata, users: 'all' });
    await subscribe(guest, { scope: 'in', metadata: { name: 'again' } });
    guest.close();
    const told = host.received.map(({ message: { action, scope, metadata: of, result } }) => {
      return [action, scope, of, result];
    });
    expect(told).toEqual([
      ['subscribe', 'in', metadata, { roomId, count: 2 }],
      ['unsubscribe', 'out', metadata, { roomId, count: 1 }],
    ]);
    expect(host.received.every((each) => each.channel === channel)).toBe(true);
    expect(guest.received).toEqual([]);
  });

  it('sends pending before the write, without document and metadata (PROTO-82)', async () => {
    const client = protocol.connect();
    const { channel } = await subscribe(client, { state: 'all' });
    await write('create', 'a', { colour: 'red' }, { metadata: { m: 1 }, requestId: 'r' });
    await write('create', 'a', { colour: 'red' });
    await write('delete', 'a');
    expect(client.heard(channel)).toEqual([
      'create pending', 'create in a', 'delete pending', 'delete out a',
    ]); // prettier-ignore
    const [first] = client.received;
    expect(first?.message).toMatchObject({ requestId: 'r', metadata: {}, result: {}, scope: null });
  });

  it('publishes messages that match and that the specification admits (PROTO-83)', async () => {
    const client = protocol.connect();
    const { channel } = await subscribe(client);
    const publish = (body: JsonObject) =>
      server.kernel.execute({ controller: 'realtime', action: 'publish', ...AT, body });
    await publish({ colour: 'blue' });
    expect((await publish({ _id: 'mine', colour: 'red' })).result).toEqual({});
    expect(client.heard(channel)).toEqual(['publish in mine']);
    expect(client.received[0]?.message.result).toEqual({ _id: 'mine', _source: { colour: 'red' } });
    const specification = { strict: true, fields: { colour: { type: 'string' } } };
    const body = { city: { stations: specification } };
    await server.kernel.execute({ controller: 'collection', action: 'updateSpecifications', body });
    expect((await publish({ colour: 'red', more: 1 })).status).toBe(400);
    expect(client.received).toHaveLength(1);
  });

  it('lists rooms with their counts, and their collections as realtime ones', async () => {
    const client = protocol.connect();
    const { roomId } = await subscribe(client);
    await server.kernel.execute({ controller: 'index', action: 'create', index: 'city' });
    const list = { controller: 'realtime', action: 'list' };
    expect((await server.kernel.execute(list)).result).toEqual({ city: { stations: { [roomId]: 1 } } });
    const collections = { controller: 'collection', action: 'list', index: 'city' };
    expect((await server.kernel.execute(collections)).result).toMatchObject({
      collections: [{ name: 'stations', type: 'realtime' }],
    });
    client.close();
    expect((await server.kernel.execute(list)).result).toEqual({});
  });

  it('refuses wrong filters, options and places, and makes no room of them (PROTO-70, FILTER-51)', async () => {
    const refused: readonly (readonly [JsonObject, string])[] = [
      [{ body: { equals: {} } }, 'realtime.invalid_filter'],
      [{ body: { nonsense: {} } }, 'realtime.invalid_filter'],
      [{ scope: 'inside' }, 'api.invalid_argument'],
      [{ state: '' }, 'api.invalid_argument'],
      [{ users: true }, 'api.invalid_argument'],
      [{ index: 'No' }, 'storage.invalid_name'],
      [{ index: null }, 'api.missing_argument'],
      [{ index: '%millrace' }, 'storage.internal_index'],
    ];
    const client = protocol.connect();
    for (const [fields, id] of refused) {
      const response = await ask(client, 'subscribe', { ...AT, body: RED, ...fields });
      expect(response.error?.id, JSON.stringify(fields)).toBe(id);
    }
    expect(client.channels.size).toBe(0);
    const list = await server.kernel.execute({ controller: 'realtime', action: 'list' });
    expect(list.result).toEqual({});
  });

  it('has no subscriptions for requests of the program and over HTTP', async () => {
    for (const action of ['subscribe', 'join', 'unsubscribe', 'count']) {
      const fields = { controller: 'realtime', action, ...AT, roomId: 'x', body: {} };
      const { error } = await server.kernel.execute(fields);
      expect(error?.id, action).toBe('realtime.protocol_not_supported');
    }
  });

  it('bounds the channels of a connection (PROTO-74)', async () => {
    await server.close();
    await open({ realtime: { maxChannelsPerConnection: 2 } });
    const client = protocol.connect();
    for (const n of [1, 2]) await subscribe(client, { body: { equals: { n } } });
    await subscribe(client, { body: { equals: { n: 2 } } });
    const third = await ask(client, 'subscribe', { ...AT, body: { equals: { n: 3 } } });
    expect(third.error?.id).toBe('realtime.too_many_channels');
    const list = await server.kernel.execute({ controller: 'realtime', action: 'list' });
    expect(Object.keys((list.result as never)['city']['stations'])).toHaveLength(2);
  });
});
