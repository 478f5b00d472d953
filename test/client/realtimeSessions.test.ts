import { createClient, isError, memoryStore } from '@millrace/client';
import { realtime, type RealtimeEvent, type Subscription } from '@millrace/client/realtime';
import { websocket } from '@millrace/protocol-websocket';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { flatRole, startSecured, type SecuredServer } from '../security/securedServer.js';

const ROLE = flatRole({
  realtime: ['subscribe', 'presence'],
  document: ['search'],
  auth: ['refreshToken', 'logout'],
});

describe('subscriptions of the client and the session', () => {
  let server: SecuredServer;
  let url: string;
  const ends: (() => void)[] = [];

  beforeAll(async () => {
    server = await startSecured({}, { plugins: [websocket({ port: 0 })] });
    const addresses = await server.started.kernel.start();
    url = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
  });
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });
  afterAll(() => server.close());

  function connect(auth: Parameters<typeof createClient>[1]) {
    const client = createClient(server.started.url, auth).with(realtime({ url, WebSocket }));
    ends.push(() => client.connection.close());
    return client;
  }
  const write = async (_id: string) => {
    const { status } = await server.http('PUT', `/city/stations/${_id}`, { body: { bikes: 1 } });
    expect(status).toBe(200);
  };
  function record(subscription: Subscription<unknown>) {
    const events: RealtimeEvent<unknown>[] = [];
    const statuses: string[] = [];
    subscription.on('event', (event) => events.push(event));
    subscription.on('status', (status) => statuses.push(status));
    return { statuses, ids: () => events.map((event) => ('id' in event ? event.id : event.kind)) };
  }

  it('PROTO-87: a token that is renewed in time carries the subscription', async () => {
    const { id, password } = await server.account(ROLE);
    const client = connect({ auth: memoryStore() });
    await client.login('local', { username: id, password }, { expiresIn: '6s' });
    const tokens: unknown[] = [];
    ends.push(client.session.onTokenChange((token) => tokens.push(token)));
    const subscription = client.collection('city', 'stations').subscribe();
    const { statuses, ids } = record(subscription);
    await expect.poll(() => tokens).toEqual([expect.any(String)]);
    await write('renewed');
    await expect.poll(ids).toEqual(['renewed']);
    expect(statuses).toEqual(['live']);
    expect(client.connection.state).toBe('open');
  });

  it('PROTO-87: after the end of its token the subscription resumes with the next one', async () => {
    const { id, password, jwt } = await server.account(ROLE);
    let token = await server.token(id, password, { expiresIn: '1s' });
    let refreshed = 0;
    const client = connect({
      auth: {
        token: () => token,
        refresh: async () => {
          refreshed++;
          // What is written now would be lost without resuming.
          await write('between');
          return (token = jwt);
        },
      },
    });
    const subscription = client.collection('city', 'stations').subscribe();
    const { statuses, ids } = record(subscription);
    await expect.poll(() => statuses).toEqual(['live', 'resuming', 'live']);
    await write('after');
    await expect.poll(ids).toEqual(['between', 'after']);
    expect(refreshed).toBe(1);
  });

  it('PROTO-88: without the right, the subscription ends with the error of the server', async () => {
    const { jwt, roleId } = await server.account(ROLE);
    const client = connect({ auth: { token: () => jwt } });
    const subscription = client.collection('city', 'stations').subscribe();
    await subscription.ready;
    await server.result('PUT', `/roles/${roleId}`, { body: flatRole({ auth: ['logout'] }) });
    await expect.poll(() => subscription.status).toBe('ended');
    expect(isError(subscription.error, 'security.forbidden')).toBe(true);
  });

  it('another user gets another connection', async () => {
    const [ada, grace] = [await server.account(ROLE), await server.account(ROLE)];
    const client = connect({ auth: memoryStore(ada.jwt) });
    const options = { presence: {} };
    const subscription = client.collection('city', 'rooms').subscribe({}, options);
    await subscription.ready;
    const users = async () => (await subscription.presence()).users.map(({ userId }) => userId);
    expect(await users()).toEqual([ada.id]);
    await client.session.set(grace.jwt);
    await expect.poll(() => subscription.status).toBe('live');
    expect(await users()).toEqual([grace.id]);
    // Logged out: anonymous users may not subscribe here.
    await client.session.set(null);
    await expect.poll(() => subscription.status).toBe('ended');
    expect(subscription.error).toMatchObject({ status: 401 });
  });
});
