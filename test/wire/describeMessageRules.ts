import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plugin } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';
import type { MessageClient } from './clients/MessageClient.js';

/** A protocol under test. */
export interface ProtocolUnderTest {
  /** Its key in statistics. */
  readonly name: string;
  readonly plugin: Plugin;
  connect(url: string, clientId: string): Promise<MessageClient>;
}

const AT = { index: 'wire', collection: 'things' };

/** The rules that hold on every lasting protocol (PROTO-1, PROTO-3, PROTO-10, PROTO-41, IDEM-1), against a real server. */
export function describeMessageRules({ name, plugin, connect }: ProtocolUnderTest): void {
  describe(`messages over ${name}, on a real server`, () => {
    let server: StartedKernel;
    let url: string;
    let client: MessageClient;
    let clientNumber = 0;
    const open = () => connect(url, `wire-${name}-${clientNumber++}`);

    beforeAll(async () => {
      server = await startKernel({ plugins: [plugin], config: { [name]: { port: 0 } } });
      const addresses = await server.kernel.start();
      url = addresses.find((address) => address.url !== server.url)?.url ?? '';
      client = await open();
    });
    afterAll(async () => {
      client.close();
      await server.close();
    });

    it('a document that is written is read back the same', async () => {
      const text = '{"a":[{"é":null,"__proto__":{"b":2}}],"long":"' + 'x'.repeat(900_000) + '"}';
      const body = JSON.parse(text) as Record<string, unknown>;
      const write = { controller: 'document', action: 'create', ...AT, _id: 'one', body };
      const written = await client.request(write);
      expect([written.error, written.index]).toEqual([null, AT.index]);
      const read = { controller: 'document', action: 'get', ...AT, _id: 'one', metadata: { m: 1 } };
      const { result, metadata } = await client.request(read);
      expect(JSON.stringify((result as { _source: unknown })._source)).toBe(text);
      expect(metadata).toEqual({ m: 1 });
    });

    it('a repeated idempotency key is answered without a second write (IDEM-1, IDEM-4)', async () => {
      const key = { idempotencyKey: `0123456789abcdef-${name}` };
      const create = { controller: 'document', action: 'create', ...AT, ...key, body: { n: 1 } };
      const first = await client.request(create);
      const again = await client.request({ ...create, requestId: 'again', metadata: { m: 1 } });
      expect([first.error, first.replayed]).toEqual([null, undefined]);
      expect(again).toMatchObject({ result: first.result, requestId: 'again', metadata: { m: 1 }, replayed: true });
      const other = await client.request({ ...create, body: { n: 2 } });
      expect(other).toMatchObject({ status: 422, error: { id: 'idempotency.key_reused' } });
    });

    it('an action of a transaction is queued whatever its key (IDEM-9)', async () => {
      const incr = { controller: 'ms', action: 'incr', _id: `n-${name}`, idempotencyKey: `incr-0123456789-${name}` };
      for (const n of [1, 2]) {
        await client.request({ controller: 'ms', action: 'multi' });
        expect(await client.request(incr)).toMatchObject({ result: 'QUEUED', status: 200 });
        expect(await client.request({ controller: 'ms', action: 'exec' })).toMatchObject({ result: [n] });
      }
    });

    it.each([
      [{ controller: 'server', action: 'NOW' }, 404, 'api.action_not_found'],
      [{ controller: '__proto__', action: 'now' }, 404, 'api.controller_not_found'],
      [{ controller: 'server' }, 400, 'api.'],
      [{ controller: 'server', action: 'now', index: 7 }, 400, 'api.invalid_argument'],
      [{ controller: 'document', action: 'get', ...AT, _id: 'none' }, 404, 'document.not_found'],
      [{ controller: 'document', action: 'get', ...AT, _id: 'x', jwt: 'x.y.z' }, 401, 'auth.'],
      [{ controller: 'server', action: 'now', metadata: [] }, 400, 'api.invalid_argument'],
    ])('%j is answered %i', async (message, status, id) => {
      const response = await client.request(message);
      expect(response).toMatchObject({ status, result: null });
      expect(response.error?.id.startsWith(id)).toBe(true);
    });

    it('client.hello tells the connection, the time and the heartbeats (PROTO-46)', async () => {
      const hello = { controller: 'client', action: 'hello' };
      const before = Date.now();
      const { status, result } = await client.request({ ...hello, body: { v: 1, sdk: 'test/1' } });
      const { connectionId, serverTime, heartbeatMs, epoch } = result as Record<string, unknown>;
      expect([status, heartbeatMs]).toEqual([200, name === 'mqtt' ? null : 25_000]);
      expect(connectionId).toMatch(new RegExp(`^${name}-\\d+$`));
      expect(serverTime).toBeGreaterThanOrEqual(before);
      expect(epoch === null || typeof epoch === 'string').toBe(true);
      const silent = await client.request({ ...hello, body: { v: 1, heartbeat: false } });
      expect((silent.result as { heartbeatMs: null }).heartbeatMs).toBeNull();
      for (const body of [{}, { v: 2 }, { v: 1, last: 'x' }])
        expect(await client.request({ ...hello, body })).toMatchObject({ status: 400 });
      expect(await client.request({ ...hello, body: { v: 1 }, jwt: 'x.y.z' })).toMatchObject({
        status: 401,
      });
    });

    it('content of another type than JSON is sent as result text', async () => {
      const { status, result } = await client.request({ controller: 'server', action: 'metrics' });
      expect([status, result]).toEqual([200, expect.stringContaining('# HELP')]);
    });

    it('connections are counted in the statistics until they are gone', async () => {
      const counted = async () => {
        const { result } = await client.request({ controller: 'server', action: 'getLastStats' });
        return (result as { connections: Record<string, number> }).connections[name];
      };
      const before = await counted();
      const other = await open();
      await expect.poll(counted).toBe(Number(before) + 1);
      other.close();
      await expect.poll(counted).toBe(before);
    });

    it('a notification arrives on the channel of a subscription, and none after unsubscribing (PROTO-72)', async () => {
      const other = await open();
      const place = { index: 'received', collection: 'things' };
      const subscribed = await other.request({
        controller: 'realtime',
        action: 'subscribe',
        ...place,
        body: {},
      });
      expect(subscribed.status).toBe(200);
      const { channel, roomId } = subscribed.result as { channel: string; roomId: string };
      const received = await other.receive(channel);
      const publish = { controller: 'realtime', action: 'publish', ...place };
      for (let n = 0; n < 20; n++) await client.request({ ...publish, body: { n } });
      await expect.poll(() => received.length).toBe(20);
      const sources = received.map(({ result }) => (result as { _source: { n: number } })._source.n);
      expect(sources).toEqual(Array.from({ length: 20 }, (_, n) => n));
      await other.request({ controller: 'realtime', action: 'unsubscribe', body: { roomId } });
      await client.request({ ...publish, body: { n: 20 } });
      await other.request({ controller: 'server', action: 'now' });
      expect(received).toHaveLength(20);
      other.close();
    });

    it('a stop of the server ends the connections', async () => {
      const dataless = await startKernel({ plugins: [plugin], config: { [name]: { port: 0 } } });
      const addresses = await dataless.kernel.start();
      const address = addresses.find((one) => one.url !== dataless.url);
      const last = await connect(address?.url ?? '', 'wire-last');
      expect((await last.request({ controller: 'server', action: 'now' })).status).toBe(200);
      await dataless.close();
      await last.closed;
    });
  });
}
