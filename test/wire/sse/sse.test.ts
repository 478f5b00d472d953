import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sse } from '@millrace/protocol-sse';
import { startKernel, type StartedKernel } from '../../startKernel.js';
import { EventReader } from '../clients/EventReader.js';

const AT = { index: 'city', collection: 'stations' };
const RED = { equals: { colour: 'red' } };
const FILTER = `filter=${encodeURIComponent(JSON.stringify(RED))}`;

async function rooms({ kernel }: StartedKernel): Promise<number> {
  const { result } = await kernel.execute({ controller: 'realtime', action: 'list' });
  return Object.keys(result as object).length;
}

async function untilNoRooms(server: StartedKernel): Promise<void> {
  while ((await rooms(server)) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('server-sent events', () => {
  let server: StartedKernel;
  let url: string;

  beforeAll(async () => {
    server = await startKernel({ plugins: [sse({ heartbeatMs: 100 })] });
    url = `${server.url}/city/stations/_subscribe`;
  });
  afterAll(() => server.close());

  const put = (_id: string, colour: string) =>
    server.kernel.execute({
      controller: 'document',
      action: 'createOrReplace',
      ...AT,
      _id,
      body: { colour },
    });
  const ids = (reader: EventReader) =>
    reader.data('message').map(({ result }) => (result as { readonly _id: string })._id);

  it('sends the answer, then notifications with their cursor as id (SSE-1, SSE-3, SSE-4)', async () => {
    const reader = await EventReader.open(`${url}?${FILTER}&scope=in`);
    const { status, headers } = reader.response;
    expect(status).toBe(200);
    const expected = {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
    };
    for (const [name, value] of Object.entries(expected)) expect(headers.get(name)).toBe(value);
    const [subscribed] = await reader.until('subscribed');
    const cursor = headers.get('millrace-cursor');
    expect(subscribed).toMatchObject({ status: 200, result: { cursor, resumed: false } });
    expect(reader.events[0]?.id).toBe(cursor);
    expect(reader.retryMs).toBe(2_000);
    await put('a', 'red');
    await put('b', 'blue');
    await put('a', 'blue');
    await put('c', 'red');
    await reader.until('message', 2);
    expect(ids(reader)).toEqual(['a', 'c']);
    for (const { event, id, data } of reader.events) {
      if (event === 'message') expect((JSON.parse(data) as { cursor: string }).cursor).toBe(id);
    }
    reader.close();
    await untilNoRooms(server);
  });

  it('takes the filter as the body of a POST (SSE-1)', async () => {
    const reader = await EventReader.open(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(RED),
    });
    await reader.until('subscribed');
    await put('d', 'blue');
    await put('e', 'red');
    await reader.until('message');
    expect(ids(reader)).toEqual(['e']);
    reader.close();
  });

  it('resumes from Last-Event-ID, which wins over the argument (SSE-5)', async () => {
    const first = await EventReader.open(`${url}?${FILTER}`);
    await first.until('subscribed');
    const { lastId: old } = first;
    await put('f', 'red');
    await first.until('message');
    first.close();
    await untilNoRooms(server);
    await put('g', 'red');
    const second = await EventReader.open(`${url}?${FILTER}&cursor=${old}`, {
      headers: { 'Last-Event-ID': first.lastId },
    });
    expect(second.response.headers.get('millrace-cursor')).toBeNull();
    await second.until('resumed');
    expect(ids(second)).toEqual(['g']);
    const [{ id: answered = 'none' } = {}] = second.events;
    expect(answered).toBe('');
    expect(second.events.at(-1)).toMatchObject({ event: 'resumed', id: second.lastId });
    const third = await EventReader.open(`${url}?${FILTER}&cursor=${old}`);
    await third.until('resumed');
    expect(ids(third)).toEqual(['f', 'g']);
    second.close();
    third.close();
  });

  it('sends a gap after the answer when it cannot resume (SSE-6)', async () => {
    const first = await EventReader.open(`${url}?${FILTER}`);
    await first.until('subscribed');
    const { lastId } = first;
    first.close();
    // With subscribers, a truncate removes the documents one by one.
    await untilNoRooms(server);
    await put('w', 'red');
    await server.kernel.execute({ controller: 'collection', action: 'truncate', ...AT });
    const second = await EventReader.open(`${url}?${FILTER}&cursor=${lastId}`);
    const [gap] = await second.until('gap');
    expect(gap).toMatchObject({
      action: 'gap',
      result: { reason: 'wiped', cursor: second.lastId },
    });
    expect(second.events.map(({ event }) => event).slice(0, 2)).toEqual(['subscribed', 'gap']);
    second.close();
  });

  it('sends heartbeats with the position (SSE-7)', async () => {
    const reader = await EventReader.open(`${url}?${FILTER}`);
    await put('h', 'blue');
    await reader.until('heartbeat', 2);
    await put('h', 'green');
    const before = reader.lastId;
    while (reader.lastId === before) await reader.until('heartbeat', reader.data('heartbeat').length + 1);
    expect(reader.lastId > before).toBe(true);
    reader.close();
  });

  it('answers errors as JSON before the stream begins (SSE-8)', async () => {
    const refusal = async (query: string, init?: RequestInit) => {
      const headers = { Accept: 'text/event-stream', ...init?.headers };
      const response = await fetch(`${url}?${query}`, { ...init, headers });
      const { error } = (await response.json()) as { readonly error: { readonly id: string } };
      return `${response.status} ${error.id} ${response.headers.get('content-type') ?? ''}`;
    };
    const json = 'application/json; charset=utf-8';
    expect(await refusal('filter=%7B')).toBe(`400 api.invalid_argument ${json}`);
    expect(await refusal('scope=some')).toBe(`400 api.invalid_argument ${json}`);
    expect(await refusal('cursor=nonsense')).toBe(`400 realtime.invalid_cursor ${json}`);
    expect(await refusal('', { headers: { Authorization: 'Bearer x' } })).toBe(`401 auth.invalid_token ${json}`);
    expect(await refusal('', { method: 'PUT' })).toBe(`405 api.method_not_allowed ${json}`);
    expect(await refusal('', { headers: { Accept: '*/*' } })).toBe(`400 api.invalid_argument ${json}`);
    for (const method of ['HEAD', 'PUT']) {
      const { status, headers } = await fetch(url, { method });
      expect([status, headers.get('allow')]).toEqual([405, 'GET, POST, OPTIONS']);
    }
    await untilNoRooms(server);
  });

  it('leaves nothing when a client closes its half of the connection, or breaks it (SSE-9)', async () => {
    const { hostname, port } = new URL(url);
    for (const leave of ['end', 'resetAndDestroy'] as const) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(`GET /city/stations/_subscribe HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/event-stream\r\n\r\n`);
      await once(socket, 'data');
      expect(await rooms(server)).toBe(1);
      socket[leave]();
      await untilNoRooms(server);
      socket.destroy();
    }
  });
});

describe('many streams', () => {
  let server: StartedKernel;
  // Without the frequent heartbeats of the tests above.
  beforeAll(async () => {
    server = await startKernel({ plugins: [sse()] });
  });
  afterAll(() => server.close());

  it('end without a trace, here 1,000 of them (SSE-9)', async () => {
    const url = `${server.url}/city/stations/_subscribe`;
    const readers: EventReader[] = [];
    for (let n = 0; n < 20; n++) {
      const some = Array.from({ length: 50 }, (_, m) =>
        EventReader.open(`${url}?filter=${encodeURIComponent(`{"equals":{"n":${n * 50 + m}}}`)}`),
      );
      readers.push(...(await Promise.all(some)));
    }
    await Promise.all(readers.map((reader) => reader.until('subscribed')));
    await server.kernel.execute({
      controller: 'document',
      action: 'createOrReplace',
      ...AT,
      _id: 'n',
      body: { n: 777 },
    });
    await readers[777]?.until('message');
    for (const reader of readers) reader.close();
    await untilNoRooms(server);
    expect(readers.flatMap((reader) => reader.data('message'))).toHaveLength(1);
    // Slow while other processes use both cores.
  }, 600_000);
});
