import { createClient, isError } from '@millrace/client';
import { realtime, type Subscription } from '@millrace/client/realtime';
import { websocket } from '@millrace/protocol-websocket';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { flatRole, startSecured, type SecuredServer } from '../security/securedServer.js';
import { UnreliableProxy } from '../storage/UnreliableProxy.js';

const ROLE = flatRole({
  realtime: ['subscribe', 'ack', 'listNames', 'deleteName'],
  document: ['search'],
  auth: ['*'],
});

describe('named subscriptions of the client', () => {
  let server: SecuredServer;
  let proxy: UnreliableProxy;
  let jwt: string;
  const ends: (() => void)[] = [];

  beforeAll(async () => {
    server = await startSecured({}, { plugins: [websocket({ port: 0, heartbeatMs: 50 })] });
    const addresses = await server.started.kernel.start();
    proxy = new UnreliableProxy(new URL(addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? ''));
    await proxy.appear();
    ({ jwt } = await server.account(ROLE));
  });
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });
  afterAll(async () => {
    await proxy.vanish();
    await server.close();
  });

  function connect() {
    const url = proxy.url.replace('http', 'ws');
    const client = createClient(server.started.url, { auth: { token: () => jwt } }).with(realtime({ url, WebSocket }));
    ends.push(() => client.connection.close());
    return client;
  }
  function start(name: string) {
    const client = connect();
    const subscription = client.collection('shop', name).subscribe({}, { name });
    const seen: string[] = [];
    subscription.on('event', (event) => seen.push('id' in event ? String(event.id) : event.kind));
    return { client, subscription, seen };
  }
  /** Writes a document, and waits for it. @returns its position */
  async function write(name: string, _id: string, ...watching: Subscription<unknown>[]) {
    const before = watching.map(({ cursor = '' }) => cursor);
    const { status } = await server.http('PUT', `/shop/${name}/${_id}`, { body: { n: 1 } });
    expect(status).toBe(200);
    for (const [n, each] of watching.entries())
      await expect.poll(() => (each.cursor ?? '') > (before[n] ?? '')).toBe(true);
    return watching[0]?.cursor ?? '';
  }

  it('RESUME-41: another program continues after what was acknowledged', async () => {
    const first = start('till-1');
    await first.subscription.ready;
    // There is nothing to continue from.
    expect(first.seen).toEqual(['gap']);
    const cursor = await write('till-1', 'a', first.subscription);
    await write('till-1', 'b', first.subscription);
    await first.subscription.acknowledge(cursor);
    first.client.connection.close();
    await write('till-1', 'c');
    const second = start('till-1');
    await expect.poll(() => second.seen).toEqual(['b', 'c']);
    await second.subscription.ready;
    expect(second.subscription.status).toBe('live');
  });

  it('a lost connection repeats nothing, and carries what was acknowledged meanwhile', async () => {
    const { client, subscription, seen } = start('till-2');
    await subscription.ready;
    await subscription.acknowledge(subscription.cursor ?? '');
    const cursor = await write('till-2', 'a', subscription);
    await proxy.vanish();
    await expect.poll(() => client.connection.state).not.toBe('open');
    await subscription.acknowledge(cursor);
    await write('till-2', 'b');
    await proxy.appear();
    await expect.poll(() => seen).toEqual(['gap', 'a', 'b']);
    await expect.poll(() => subscription.status).toBe('live');
    client.connection.close();
    const next = start('till-2');
    await expect.poll(() => next.seen).toEqual(['b']);
  });

  it('RESUME-45: ends when another client takes the name over', async () => {
    const first = start('till-3');
    await first.subscription.ready;
    const second = start('till-3');
    await second.subscription.ready;
    await expect.poll(() => first.subscription.status).toBe('ended');
    expect(isError(first.subscription.error, 'realtime.name_not_held')).toBe(true);
    expect(second.subscription.status).toBe('live');
  });

  it('RESUME-46: ends when the name is removed', async () => {
    const { client, subscription } = start('till-4');
    await subscription.ready;
    await client.actions.realtime.deleteName({ name: 'till-4' });
    await expect.poll(() => subscription.status).toBe('ended');
    expect(subscription.error?.message).toBe('the name of the subscription was removed');
  });

  it('RESUME-42: a position of nowhere is refused', async () => {
    const { subscription } = start('till-5');
    await subscription.ready;
    const error = await subscription.acknowledge('nonsense').catch((thrown: unknown) => thrown);
    expect(isError(error, 'realtime.invalid_cursor')).toBe(true);
  });
});
