import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { runExample, runToEnd, type RunningExample } from './runExample.js';

interface Message {
  readonly room: string;
  readonly requestId: string;
  readonly status: number;
  readonly result: Record<string, unknown>;
}

async function openSocket(url: string) {
  const socket = new WebSocket(url);
  const received: Message[] = [];
  const waiting = new Map<string, (message: Message) => void>();
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message;
    received.push(message);
    waiting.get(message.room)?.(message);
  });
  await once(socket, 'open');
  const next = (room: string) =>
    new Promise<Message>((resolve) => {
      const known = received.find((message) => message.room === room);
      if (known === undefined) waiting.set(room, resolve);
      else resolve(known);
    });
  const ask = (fields: Readonly<Record<string, unknown>> & { readonly requestId: string }) => {
    socket.send(JSON.stringify(fields));
    return next(fields.requestId);
  };
  return { socket, ask, next };
}

describe.each(['express', 'fastify', 'koa'])('examples/embed-in-existing-app/%s.mjs', (name) => {
  let example: RunningExample | undefined;
  afterEach(async () => {
    await example?.stop();
    example = undefined;
  });

  it('serves the application, HTTP and WebSocket below /api on one port, and ends on a signal', async () => {
    example = await runExample(`${name}.mjs`);
    const { url } = example;
    const post = (path: string, body: object) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect(await (await fetch(url)).text()).toBe('A page of the application');
    expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    expect(await (await fetch(`${url}/api/_now?requestId=one`)).json()).toMatchObject({
      status: 200,
      requestId: 'one',
      action: 'now',
    });
    expect(await (await fetch(`${url}/api/no/such/route/at/all`)).json()).toMatchObject({
      status: 404,
      error: { id: 'api.route_not_found' },
    });

    const client = await openSocket(`${url.replace('http', 'ws')}/api`);
    const created = await post('/api/library/books/_create?refresh=wait_for', {
      title: 'The Mill on the Floss',
    });
    expect(created.status).toBe(200);
    const subscribed = await client.ask({
      requestId: 'sub',
      controller: 'realtime',
      action: 'subscribe',
      index: 'library',
      collection: 'books',
      body: { exists: 'title' },
    });
    expect(subscribed.status).toBe(200);
    await post('/api/library/books/_create?refresh=wait_for', { title: 'Silas Marner' });
    const notification = await client.next(String(subscribed.result.channel));
    expect(notification).toMatchObject({ result: { _source: { title: 'Silas Marner' } } });

    expect(await (await fetch(`${url}/books?title=mill`)).json()).toEqual({
      titles: ['The Mill on the Floss'],
    });
    const elsewhere = new WebSocket(`${url.replace('http', 'ws')}/elsewhere`);
    const [refusal] = (await once(elsewhere, 'error')) as [Error];
    expect(refusal.message).toMatch(/hang up|ECONNRESET/);

    const closed = once(client.socket, 'close') as Promise<[number]>;
    const { code, errors } = await example.stop();
    example = undefined;
    expect((await closed)[0]).toBe(1012);
    expect({ code, errors }).toEqual({
      code: 0,
      errors: expect.not.stringMatching(/Error|rejection/i) as string,
    });
  });
});

describe('examples/embed-in-existing-app/library.mjs', () => {
  it('keeps two kernels of one process apart, and ends by itself', async () => {
    expect(await runToEnd('library.mjs')).toBe("[ 'The Mill on the Floss' ]\n[ 'On the Origin of Species' ]\n");
  });
});
