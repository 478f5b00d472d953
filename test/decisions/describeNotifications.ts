import type { JsonObject } from '@millrace/kernel';
import { describe, expect, it } from 'vitest';
import { callOn } from './callOn.js';
import { PROTOCOLS, useServer, type TestedEngine } from './TestServer.js';

const RED = { equals: { colour: 'red' } };
/** Fields of every notification over WebSocket. */
const ENVELOPE = [
  'requestId', 'status', 'error', 'controller', 'action', 'index', 'collection', 'metadata', 'state', 'scope', 'timestamp',
  'result', 'room', 'roomId',
]; // prettier-ignore

export function describeNotifications(engine: TestedEngine): void {
  describe('notifications', () => {
    const server = useServer(engine);
    const subscribe = async (at: JsonObject, body: JsonObject = RED, options: JsonObject = {}) => {
      const client = await server().connect();
      const message = { controller: 'realtime', action: 'subscribe', ...at, body, ...options };
      const { status, result } = await client.request(message);
      expect(status).toBe(200);
      const { roomId, channel } = result as unknown as Record<'roomId' | 'channel', string>;
      return { client, roomId, channel, received: await client.receive(channel) };
    };
    type Received = Awaited<ReturnType<typeof subscribe>>['received'];
    const shown = (received: Received) =>
      received.map(
        ({ action, scope, state, result }) =>
          `${String(state)} ${String(action)} ${String(scope)} ${(result as { readonly _id: string })._id}`,
      );
    const place = () => ({ index: server().newIndex(), collection: 'stations' });

    describe.each(PROTOCOLS)('of writes over %s', (protocol) => {
      const { outcome, result, response } = callOn((fields) => server().call(protocol, fields));

      it('follow the effect of a write, whatever its action (PROTO-81)', async () => {
        const at = place();
        const { received } = await subscribe(at);
        const one = { ...at, _id: 'a' };
        await result('document.create', { ...one, body: { colour: 'red' } });
        await result('document.createOrReplace', { ...one, body: { colour: 'red', n: 1 } });
        await result('document.update', { ...one, body: { n: 1 } });
        await result('document.update', { ...one, body: { colour: 'blue' } });
        await result('document.update', { ...one, body: { n: 2 } });
        await result('document.replace', { ...one, body: { colour: 'red' } });
        await result('document.upsert', { ...one, body: { doc: { n: 3 } } });
        await result('document.delete', one);
        const bulkData = [{ create: { _id: 'b' } }, { colour: 'red' }, { delete: { _id: 'b' } }];
        await result('bulk.import', { ...at, body: { bulkData } });
        const documents = [{ _id: 'c', body: { colour: 'red' } }];
        await result('document.mCreate', { ...at, refresh: 'wait_for', body: { documents } });
        await result('document.updateByQuery', { ...at, body: { query: { match_all: {} }, doc: { n: 4 } } });
        await result('document.mDelete', { ...at, body: { ids: ['c'] } });
        expect(await outcome('document.replace', { ...one, body: { colour: 'red' } })).toMatch(/^404 /);
        await result('document.create', { ...at, _id: 'last', body: { colour: 'red' } });
        await expect.poll(() => shown(received).at(-1), { timeout: 20_000 }).toBe('done create in last');
        expect(shown(received)).toEqual([
          'done create in a', 'done update in a', 'done update out a', 'done update in a', 'done update in a', 'done delete out a',
          'done create in b', 'done delete out b', 'done create in c', 'done update in c', 'done delete out c', 'done create in last',
        ]); // prettier-ignore
      });

      it.each(['collection.truncate', 'collection.delete', 'index.delete'])(
        '%s is the deletion of every document that matched',
        async (name) => {
          const at = place();
          await result('document.create', { ...at, _id: 'a', body: { colour: 'red' } });
          await result('document.create', { ...at, _id: 'b', body: { colour: 'blue' } });
          const { received } = await subscribe(at);
          await result(name, name === 'index.delete' ? { index: at.index } : at);
          await expect.poll(() => shown(received), { timeout: 20_000 }).toEqual(['done delete out a']);
        },
      );

      it('have the fields of an envelope, requestId and metadata of the writer, _version and _meta (PROTO-80)', async () => {
        const at = place();
        const { received, roomId, channel } = await subscribe(at);
        const metadata = { from: 'a test' };
        const made = await response('document.create', { ...at, _id: 'a', metadata, body: { colour: 'red' } });
        await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1);
        const [first = {}] = received;
        // `cursor` is there on engines with a change log (RESUME-1).
        const fields = Object.keys(first).filter((field) => field !== 'cursor');
        expect(fields.sort()).toEqual([...ENVELOPE].sort());
        const { _id, _version, _source, _meta } = made.result as JsonObject;
        expect(first).toMatchObject({
          requestId: made.requestId,
          status: 200,
          error: null,
          controller: 'document',
          action: 'create',
          ...at,
          metadata,
          state: 'done',
          scope: 'in',
          room: channel,
          roomId,
          timestamp: expect.any(Number) as number,
        });
        expect(first['result']).toEqual({ _id, _version, _source, _meta });
      });

      it('are switched off by silent (PROTO-86)', async () => {
        const at = place();
        const { received } = await subscribe(at);
        await result('document.create', { ...at, _id: 'a', silent: true, body: { colour: 'red' } });
        await result('document.create', { ...at, _id: 'b', body: { colour: 'red' } });
        await expect.poll(() => shown(received), { timeout: 20_000 }).toEqual(['done create in b']);
      });

      it('pending is sent before single writes, without body and metadata', async () => {
        const at = place();
        const { received } = await subscribe(at, RED, { state: 'all' });
        const metadata = { from: 'a test' };
        await result('document.create', { ...at, _id: 'a', metadata, body: { colour: 'red' } });
        await result('document.createOrReplace', { ...at, _id: 'b', body: { colour: 'red' } });
        await result('document.delete', { ...at, _id: 'a' });
        await expect.poll(() => received.length, { timeout: 20_000 }).toBe(6);
        expect(received.map(({ state, action }) => `${String(state)} ${String(action)}`)).toEqual([
          'pending create', 'done create', 'pending create', 'done create', 'pending delete', 'done delete',
        ]); // prettier-ignore
        expect(received[0]).toMatchObject({ result: {}, metadata: {}, scope: null });
      });

      it('messages that match are published to subscribers and stored nowhere', async () => {
        const at = place();
        const { received, roomId } = await subscribe(at);
        await result('realtime.publish', { ...at, body: { colour: 'blue' } });
        await result('realtime.publish', { ...at, _id: 'm', body: { colour: 'red' } });
        await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1);
        expect(received[0]).toMatchObject({ controller: 'realtime', action: 'publish', roomId, scope: 'in' });
        expect(received[0]?.['result']).toEqual({ _source: { colour: 'red' }, _id: 'm' });
        expect(await outcome('document.get', { ...at, _id: 'm' })).toMatch(/^404 /);
      });
    });

    it('equal filters share a room, whatever their spelling; each set of options has a channel', async () => {
      const at = place();
      const first = await subscribe(at);
      const same = await subscribe(at, { and: [RED] });
      const other = await subscribe(at, RED, { users: 'all' });
      expect(first.roomId).toMatch(/^[0-9a-f]{32}$/);
      expect([same.roomId, other.roomId]).toEqual([first.roomId, first.roomId]);
      expect(same.channel).toBe(first.channel);
      expect(other.channel).not.toBe(first.channel);
      expect(other.channel.startsWith(`${first.roomId}-`)).toBe(true);
    });

    it("users' events name who comes and goes by user: in and out, never to the one that acts", async () => {
      const at = place();
      const watching = await subscribe(at, RED, { users: 'all' });
      const { client, roomId, channel, received } = await subscribe(at, RED, { users: 'all', state: 'all' });
      expect(channel).not.toBe(watching.channel);
      await client.request({ controller: 'realtime', action: 'unsubscribe', body: { roomId } });
      await expect.poll(() => watching.received.length, { timeout: 20_000 }).toBe(2);
      expect(watching.received).toMatchObject([
        { controller: 'realtime', action: 'subscribe', scope: 'in', user: 'in', roomId, result: { roomId, count: 2 } },
        { controller: 'realtime', action: 'unsubscribe', scope: 'out', user: 'out', roomId, result: { roomId, count: 1 } },
      ]); // prettier-ignore
      expect(received).toEqual([]);
    });

    it('wrong options and filters are a 400, unknown rooms a 404', async () => {
      const { outcome } = callOn((fields) => server().call('websocket', fields));
      const at = place();
      for (const options of [{ scope: 'some' }, { state: 'later' }, { users: 'both' }, { body: { nope: {} } }]) {
        expect(await outcome('realtime.subscribe', { ...at, body: {}, ...options })).toMatch(/^400 /);
      } // prettier-ignore
      for (const action of ['join', 'count', 'unsubscribe']) {
        expect(await outcome(`realtime.${action}`, { body: { roomId: 'f'.repeat(32) } })).toMatch(/^404 /);
      }
    });
  });
}
