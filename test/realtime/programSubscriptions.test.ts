import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Logger, Notification } from '@millrace/kernel';
import { silentLogger } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { flatRole, startSecured, type SecuredServer } from '../security/securedServer.js';

const AT = { index: 'city', collection: 'stations' };
const RED = { equals: { colour: 'red' } };

/** What a listener received, in few words. */
function short({ controller, action, scope, result }: Notification): string {
  const id = '_id' in result ? ` ${result._id}` : '';
  return `${controller}.${action} ${scope}${id}`;
}

describe('kernel.subscribe', () => {
  let server: StartedKernel;
  let logged: string[];

  const write = (action: 'create' | 'replace' | 'delete', _id: string, body: object = {}) =>
    server.kernel.execute({ controller: 'document', action, ...AT, _id, body } as const);

  beforeEach(async () => {
    logged = [];
    const error: Logger['error'] = (...line: unknown[]) => void logged.push(String(line.at(-1)));
    const logger: Logger = { ...silentLogger, error, child: () => logger };
    server = await startKernel({ logger });
  });
  afterEach(() => server.close());

  it('calls the listener with the changes of matching documents until it unsubscribes', async () => {
    const received: Notification[] = [];
    const subscription = await server.kernel.subscribe({ ...AT, body: RED }, (notification) => {
      received.push(notification);
    });
    expect(subscription.roomId).toMatch(/^[0-9a-f]{32}$/);
    await write('create', 'a', { colour: 'red' });
    await write('create', 'b', { colour: 'blue' });
    await write('replace', 'b', { colour: 'red' });
    await write('replace', 'a', { colour: 'blue' });
    await write('delete', 'b');
    expect(received.map(short)).toEqual([
      'document.create in a',
      'document.update in b',
      'document.update out a',
      'document.delete out b',
    ]);
    expect(received[0]).toMatchObject({
      ...AT,
      status: 200,
      error: null,
      state: 'done',
      result: { _id: 'a', _source: { colour: 'red' } },
    });
    subscription.unsubscribe();
    subscription.unsubscribe();
    await write('create', 'c', { colour: 'red' });
    expect(received).toHaveLength(4);
  });

  it('delivers published messages, and keeps to the options of realtime.subscribe', async () => {
    const received: string[] = [];
    const listener = (notification: Notification) => void received.push(short(notification));
    await server.kernel.subscribe({ ...AT, scope: 'out' }, listener);
    await server.kernel.subscribe({ ...AT, body: RED, scope: 'in' }, listener);
    await write('create', 'a', { colour: 'red' });
    await server.kernel.execute({ controller: 'realtime', action: 'publish', ...AT, body: { colour: 'red' } });
    await write('delete', 'a');
    expect(received).toEqual(['document.create in a', 'realtime.publish in', 'document.delete out a']);
  });

  it('gives each listener a separate notification, and goes on when one throws or rejects', async () => {
    const received: Notification[] = [];
    await server.kernel.subscribe(AT, () => {
      throw new Error('broken');
    });
    await server.kernel.subscribe(AT, () => Promise.reject(new Error('broken too')));
    await server.kernel.subscribe(AT, (notification) => void received.push(notification));
    await server.kernel.subscribe(AT, (notification) => void received.push(notification));
    expect((await write('create', 'a', { colour: 'red' })).status).toBe(200);
    expect(received).toHaveLength(2);
    expect(received[0]).toEqual(received[1]);
    expect(received[0]).not.toBe(received[1]);
    expect(logged).toEqual(['a subscribed function failed', 'a subscribed function failed']);
  });

  it('rejects with the error of the response where the subscription is refused', async () => {
    const listener = () => undefined;
    await expect(server.kernel.subscribe({ ...AT, body: { nearby: {} } }, listener)).rejects.toMatchObject({
      name: 'MillraceError',
      id: 'realtime.invalid_filter',
      status: 400,
    });
    await expect(server.kernel.subscribe({ index: '', collection: 'stations' }, listener)).rejects.toMatchObject({
      status: 400,
    });
  });

  it('is what execute points to, which has no connection to notify', async () => {
    const { error } = await server.kernel.execute({ controller: 'realtime', action: 'subscribe', ...AT });
    expect(error).toMatchObject({
      id: 'realtime.protocol_not_supported',
      message: expect.stringContaining('kernel.subscribe') as string,
    });
  });

  it('is counted among neither the connections nor the requests of the statistics', async () => {
    await server.kernel.subscribe(AT, () => undefined);
    const { error, result } = await server.kernel.execute({ controller: 'server', action: 'getLastStats' });
    expect(error ?? Object.keys(result.connections)).toEqual([]);
  });

  it('ends with the kernel', async () => {
    const { unsubscribe } = await server.kernel.subscribe(AT, () => undefined);
    await server.kernel.stop();
    unsubscribe();
    await expect(server.kernel.subscribe(AT, () => undefined)).rejects.toThrow('start() first');
  });
});

describe('kernel.subscribe on a server with users', () => {
  let server: SecuredServer;
  beforeEach(async () => {
    server = await startSecured();
  });
  afterEach(() => server.close());

  it('has the rights of the user that it names, and ends when they are taken away', async () => {
    const { kernel } = server.started;
    await expect(kernel.subscribe(AT, () => undefined)).rejects.toMatchObject({ status: 401 });
    const role = flatRole({ realtime: ['subscribe'], document: ['create', 'search'] });
    const { id: _id, profileId, roleId } = await server.account(role);
    const user = { _id, profileIds: [profileId] };
    let end: (notification: Notification) => void = () => undefined;
    const ended = new Promise<Notification>((resolve) => (end = resolve));
    await kernel.subscribe(AT, (notification) => end(notification), { user });
    const path = `/roles/${encodeURIComponent(roleId)}`;
    await server.result('PUT', path, { body: flatRole({ document: ['create'] }) });
    expect(await ended).toMatchObject({
      controller: 'realtime',
      action: 'subscriptionEnded',
      result: { reason: 'the right was taken away' },
    });
  });
});
