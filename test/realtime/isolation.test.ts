import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { websocket } from '@millrace/protocol-websocket';
import { fresh, roleOn, startSecured, type Account, type SecuredServer } from '../security/securedServer.js';
import { connectFallback } from '../wire/clients/connectFallback.js';
import { connectMqtt } from '../wire/clients/connectMqtt.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';

const VAULT = { index: 'vault', collection: 'papers' };
const LOBBY = { index: 'lobby', collection: 'papers' };
const SECRET = 'only-for-insiders';
const LISTENING = {
  realtime: ['subscribe', 'join', 'unsubscribe', 'count', 'presence', 'list', 'publish'],
  document: ['create', 'get'],
};

type Connect = (url: string, clientId: string) => Promise<MessageClient>;

/*
 * Two users, one without rights on an index: nothing of it reaches her, whatever she tries. A third user listens next to
 * her, with rights: he receives every message that she must not, so a server that notifies no user would fail here as well.
 */
describe('messages to one user reach no other (issue: two users, one without rights)', () => {
  let server: SecuredServer;
  let insider: Account;
  let outsider: Account;
  let addresses: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const ports = { websocket: { port: 0 }, fallback: { port: 0 }, mqtt: { port: 0 } };
    server = await startSecured(ports, { plugins: [websocket(), fallback(), mqtt()] });
    const listening = await server.started.kernel.start();
    addresses = new Map(listening.map(({ protocol, url }) => [protocol, url]));
    for (const { index, collection } of [VAULT, LOBBY]) {
      await server.result('PUT', `/${index}`);
      await server.result('PUT', `/${index}/${collection}`);
    }
    insider = await server.account(roleOn('vault', LISTENING));
    outsider = await server.account(roleOn('lobby', LISTENING));
  });
  afterAll(() => server.close());

  const as = (account: Account, client: MessageClient) => {
    const call = (action: string, fields: JsonObject) =>
      client.request({ controller: 'realtime', action, jwt: account.jwt, ...fields });
    return {
      call,
      subscribe: async (fields: JsonObject) => {
        const { result, error } = await call('subscribe', fields);
        if (error !== null) throw new Error(JSON.stringify(error));
        const { roomId, channel } = result as { readonly roomId: string; readonly channel: string };
        return { roomId, received: await client.receive(channel), channel };
      },
    };
  };

  const write = (place: typeof VAULT, text: string) =>
    server.result('POST', `/${place.index}/${place.collection}/_create`, { body: { text } });

  const publish = (place: typeof VAULT, text: string) =>
    server.result('POST', `/${place.index}/${place.collection}/_publish`, { body: { text } });

  describe.each([
    ['websocket', connectWebsocket as Connect],
    ['fallback', connectFallback as Connect],
    ['mqtt', connectMqtt],
  ])('over %s', (protocol, connect) => {
    const open = async () => connect(addresses.get(protocol) as string, fresh('c'));

    it('no subscription, join, guessed channel or equal filter lets her receive it', async () => {
      const [hisClient, herClient] = [await open(), await open()];
      const [his, hers] = [as(insider, hisClient), as(outsider, herClient)];
      const filter = { exists: 'text' };
      const room = await his.subscribe({ ...VAULT, body: filter, users: 'all' });

      for (const [action, fields] of [
        ['subscribe', { ...VAULT, body: filter }],
        ['subscribe', { ...VAULT, body: {} }],
        ['join', { body: { roomId: room.roomId } }],
        ['join', { ...VAULT, body: { roomId: room.roomId } }],
        ['join', { ...LOBBY, body: { roomId: room.roomId } }],
        ['count', { body: { roomId: room.roomId } }],
        ['presence', { body: { roomId: room.roomId } }],
        ['publish', { ...VAULT, body: { text: SECRET } }],
      ] as const) {
        const { status } = await hers.call(action, fields);
        expect([403, 404], `${action} ${JSON.stringify(fields)}`).toContain(status);
      }
      const guesses = [room.channel, room.roomId, '#', '+', `${room.roomId}/#`, '$SYS/#'];
      for (const guess of guesses) await herClient.receive(guess).catch(() => undefined);
      // The same filter on what she may receive: another room.
      const own = await hers.subscribe({ ...LOBBY, body: filter });
      expect(own.roomId).not.toBe(room.roomId);

      await write(VAULT, SECRET);
      await publish(VAULT, SECRET);
      await write(LOBBY, 'for everybody');
      await expect.poll(() => own.received.length).toBe(1);
      await expect.poll(() => room.received.length).toBe(2);
      expect(herClient.everything.filter((text) => text.includes(SECRET))).toEqual([]);
      expect(room.received.filter((text) => JSON.stringify(text).includes(SECRET))).toHaveLength(2);
      const { result } = await hers.call('list', {});
      expect(JSON.stringify(result)).not.toContain('vault');
      hisClient.close();
      herClient.close();
    });

    it('a room that both share stays silent for her from the moment her right is taken away', async () => {
      const { roleId, ...guest } = await server.account(roleOn('vault', LISTENING));
      const [hisClient, herClient] = [await open(), await open()];
      const fields = { ...VAULT, body: { equals: { text: `${SECRET} again` } } };
      const his = await as(insider, hisClient).subscribe(fields);
      const hers = await as({ roleId, ...guest }, herClient).subscribe(fields);
      expect(hers.roomId).toBe(his.roomId);
      await write(VAULT, `${SECRET} again`);
      await expect.poll(() => [his.received.length, hers.received.length]).toEqual([1, 1]);

      const role = roleOn('lobby', LISTENING);
      await server.result('PUT', `/roles/${roleId}`, { body: role });
      await expect
        .poll(() => hers.received.at(-1))
        .toMatchObject({ action: 'subscriptionEnded', result: { roomId: hers.roomId } });
      const heardBefore = herClient.everything.length;
      await write(VAULT, `${SECRET} again`);
      await expect.poll(() => his.received.length).toBe(2);
      await herClient.request({ controller: 'server', action: 'now' });
      expect(herClient.everything.slice(heardBefore).join()).not.toContain(SECRET);
      hisClient.close();
      herClient.close();
    });
  });
});
