import { get } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { sse } from '@millrace/protocol-sse';
import { websocket } from '@millrace/protocol-websocket';
import { startKernel, type StartedKernel } from '../startKernel.js';

const AT = { index: 'city', collection: 'stations' };
const COUNT = 3_000;
/** Ten times as much as the system buffers, and more than `maxWaitingBytes` together. */
const TEXT = 'x'.repeat(8_000);
const MEGABYTE = 1_048_576;

let server: StartedKernel;

beforeEach(async () => {
  server = await startKernel({ plugins: [sse(), websocket({ port: 0 })] });
});
afterEach(() => server.close());

it('a client that reads slowly receives a replay of more than maxWaitingBytes whole (RESUME-17)', async () => {
  const { kernel } = server;
  const addresses = await kernel.start();
  const url = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
  await kernel.execute({ ...AT, controller: 'collection', action: 'create', body: {} });
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.once('open', resolve));
  const received: { action: string; result: { _id?: string; cursor?: string; count?: number } }[] = [];
  let closed: number | undefined;
  socket.on('close', (code) => (closed = code));
  let reads = 0;
  socket.on('message', (data: Buffer) => {
    received.push(JSON.parse(data.toString()) as (typeof received)[number]);
    // Reads in steps of about a megabyte.
    if (++reads % 128 !== 0) return;
    socket.pause();
    setTimeout(() => socket.resume(), 60);
  });
  const ask = (fields: object) =>
    socket.send(JSON.stringify({ ...AT, controller: 'realtime', action: 'subscribe', body: {}, ...fields }));
  const until = async (isThere: () => boolean) => {
    while (!isThere()) {
      if (closed !== undefined) throw new Error(`closed with ${closed} after ${received.length}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  ask({ requestId: '1', mode: 'auto' });
  await until(() => received.length === 1);
  const cursor = received[0]?.result.cursor ?? '';
  for (let n = 0; n < COUNT; n += 500) {
    const documents = Array.from({ length: 500 }, (_, i) => ({ _id: `d${n + i}`, body: { text: TEXT } }));
    const { status } = await kernel.execute({ ...AT, controller: 'document', action: 'mCreate', body: { documents } });
    expect(status).toBe(200);
    await until(() => received.length > n + 500);
  }
  received.length = 0;
  ask({ requestId: '2', cursor, mode: 'events' });
  await until(() => received.at(-1)?.action === 'resumed');
  const ids = received.flatMap(({ result: { _id } }) => _id ?? []);
  expect(ids).toEqual(Array.from({ length: COUNT }, (_, n) => `d${n}`));
  expect(received.at(-1)?.result.count).toBe(COUNT);
  socket.close();
});

it('a stream that is read slowly receives a replay of more than maxWaitingBytes whole (RESUME-17)', async () => {
  const { kernel, url, ask } = server;
  const path = `${url}/${AT.index}/${AT.collection}`;
  await kernel.execute({ ...AT, controller: 'collection', action: 'create', body: {} });
  const first = await ask('GET', `/${AT.index}/${AT.collection}/_changes`);
  const { cursor } = first.body.result as { readonly cursor: string };
  for (let n = 0; n < COUNT; n += 500) {
    const documents = Array.from({ length: 500 }, (_, i) => ({ _id: `d${n + i}`, body: { text: TEXT } }));
    const { status } = await kernel.execute({ ...AT, controller: 'document', action: 'mCreate', body: { documents } });
    expect(status).toBe(200);
  }
  const parts: string[] = [];
  await new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', 'last-event-id': cursor };
    const request = get(`${path}/_subscribe?mode=events`, { headers }, (response) => {
      response.setEncoding('utf8');
      response.on('close', () => reject(new Error(`ended after ${parts.join('').length} characters`)));
      let unread = 0;
      response.on('data', (part: string) => {
        parts.push(part);
        if (parts.slice(-2).join('').includes('event: resumed')) resolve(request.destroy());
        unread += part.length;
        if (unread < MEGABYTE) return;
        unread = 0;
        response.pause();
        setTimeout(() => response.resume(), 60);
      });
    });
    request.on('error', reject);
  });
  const text = parts.join('');
  const ids = [...text.matchAll(/"_id":"(d\d+)"/g)].map(([, id]) => id);
  expect(ids).toEqual(Array.from({ length: COUNT }, (_, n) => `d${n}`));
  expect(text).toContain(`"count":${COUNT}`);
});
