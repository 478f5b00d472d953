import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plugin } from '@millrace/kernel';
import { fallback } from '@millrace/protocol-fallback';
import { websocket } from '@millrace/protocol-websocket';
import { startKernel, type StartedKernel } from '../startKernel.js';
import type { MessageClient } from './clients/MessageClient.js';
import { connectFallback } from './clients/connectFallback.js';
import { connectWebsocket } from './clients/connectWebsocket.js';

const AT = { index: 'city', collection: 'stations' };
const RED = { equals: { colour: 'red' } };
const CUTS = 25;

interface Notification {
  readonly action: string;
  readonly scope: string | null;
  readonly cursor?: string;
  readonly result: { readonly _id?: string; readonly _version?: number; readonly reason?: string };
}

interface Subscribed {
  readonly channel: string;
  readonly cursor: string;
  readonly resumed: boolean;
}

/** Numbers below 1, the same in each run. */
function* chance(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    yield state / 2 ** 32;
  }
}

const PROTOCOLS: readonly [string, Plugin, (url: string) => Promise<MessageClient>][] = [
  ['websocket', websocket({ port: 0, heartbeatMs: 50 }), connectWebsocket],
  ['fallback', fallback({ port: 0, heartbeatMs: 50 }), connectFallback],
];

describe.each(PROTOCOLS)('resuming over %s with the embedded engine', (name, plugin, connect) => {
  let server: StartedKernel;
  let url: string;

  beforeAll(async () => {
    server = await startKernel({ plugins: [plugin] });
    const addresses = await server.kernel.start();
    url = addresses.find(({ protocol }) => protocol === name)?.url ?? '';
  });
  afterAll(() => server.close());

  const execute = async (fields: object) => {
    const response = await server.kernel.execute({ ...AT, ...fields });
    // A deletion of an absent document, for example.
    expect([200, 206, 404]).toContain(response.status);
  };

  it('a client that is cut off again and again misses nothing and gets nothing twice (RESUME-10, RESUME-11)', async () => {
    const random = chance(20);
    const below = (n: number) => Math.floor(random.next().value * n);
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        const [_id, colour] = [`d${below(40)}`, below(2) === 0 ? 'red' : 'blue'];
        const kind = below(10);
        const documents = Array.from({ length: 8 }, () => ({ _id: `d${below(40)}`, body: { colour } }));
        if (kind < 5) await execute({ controller: 'document', action: 'createOrReplace', _id, body: { colour } });
        else if (kind < 7) await execute({ controller: 'document', action: 'delete', _id });
        else await execute({ controller: 'document', action: 'mCreateOrReplace', body: { documents } });
      }
    };
    const witness = await connect(url);
    const first = await witness.request({
      controller: 'realtime',
      action: 'subscribe',
      ...AT,
      body: RED,
      mode: 'auto',
    });
    const { channel, cursor } = first.result as unknown as Subscribed;
    const witnessed = () => heardOn(witness, channel);
    const writers = [write(), write(), write()];
    const received: Notification[] = [];
    let last = cursor;
    for (let cut = 0; cut <= CUTS; cut++) {
      const client = await connect(url);
      const fields = { ...AT, body: RED, cursor: last, mode: 'events' };
      const answer = await client.request({ controller: 'realtime', action: 'subscribe', ...fields });
      expect(answer.error).toBeNull();
      expect(answer.result).toMatchObject({ resumed: true, channel });
      const heard = () => heardOn(client, channel);
      await new Promise((resolve) => setTimeout(resolve, below(30)));
      if (cut === CUTS) {
        isOver = true;
        await Promise.all(writers);
        const marker = { controller: 'document', action: 'create', _id: 'last', body: { colour: 'red' } };
        await execute(marker);
        for (const list of [heard, witnessed]) {
          const isThere = () => list().some(({ result }) => result._id === 'last');
          await expect.poll(isThere, { timeout: 20_000 }).toBe(true);
        }
      }
      client.close();
      await client.closed;
      received.push(...heard());
      last = heard().findLast((each) => each.cursor !== undefined)?.cursor ?? last;
    }
    expect(received.filter(({ action }) => action === 'gap')).toEqual([]);
    const [mine, all] = [received, witnessed()].map((list) => list.filter(isOfDocument).map(short));
    expect(mine).toEqual(all);
    const mirror = new Map<string, number>();
    for (const {
      scope,
      result: { _id = '', _version = 0 },
    } of received.filter(isOfDocument)) {
      if (scope === 'in') mirror.set(_id, _version);
      else mirror.delete(_id);
    }
    await execute({ controller: 'collection', action: 'refresh' });
    const { result } = await server.kernel.execute({
      controller: 'document',
      action: 'search',
      ...AT,
      body: { query: { term: { colour: 'red' } } },
      size: 100,
    });
    const { hits } = result as { readonly hits: readonly { readonly _id: string }[] };
    expect([...mirror.keys()].sort()).toEqual(hits.map(({ _id }) => _id).sort());
    witness.close();
  }, 120_000);

  it('the first subscription of a collection waits for the writes in flight (RESUME-2)', async () => {
    const at = { index: 'city', collection: `fresh-${name}` };
    const client = await connect(url);
    const bulkData = Array.from({ length: 3_000 }, (_, n) => [{ index: { _id: `d${n}` } }, { n }]).flat();
    const writing = server.kernel.execute({ controller: 'bulk', action: 'import', ...at, body: { bulkData } });
    const answer = await client.request({ controller: 'realtime', action: 'subscribe', ...at, body: {}, mode: 'auto' });
    const { channel } = answer.result as unknown as Subscribed;
    const heard = () => heardOn(client, channel);
    const read = await server.kernel.execute({ controller: 'document', action: 'count', ...at, body: {} });
    await writing;
    const last = await server.kernel.execute({
      controller: 'document',
      action: 'create',
      ...at,
      _id: 'last',
      body: {},
    });
    expect(last.status).toBe(200);
    await expect.poll(() => heard().some(({ result }) => result._id === 'last'), { timeout: 20_000 }).toBe(true);
    // What was there at the answer, and what was notified since, are all of it.
    const { count } = read.result as unknown as { readonly count: number };
    expect(count + new Set(heard().map(({ result }) => result._id)).size).toBeGreaterThanOrEqual(3_001);
    client.close();
  }, 60_000);

  it('a client that resumes from a heartbeat gets each later change once (RESUME-23)', async () => {
    const at = { index: 'city', collection: `quiet-${name}` };
    const subscription = { controller: 'realtime', action: 'subscribe', ...at, body: RED, mode: 'events' };
    const write = (_id: string, colour: string) =>
      execute({ controller: 'document', action: 'create', ...at, _id, body: { colour } });
    const client = await connect(url);
    await client.request({ controller: 'client', action: 'hello', body: { v: 1 } });
    const { result } = await client.request(subscription);
    const { channel } = result as unknown as Subscribed;
    await write('first', 'red');
    const notified = () => heardOn(client, channel).at(-1)?.cursor ?? '';
    await expect.poll(notified, { timeout: 20_000 }).not.toBe('');
    await expect.poll(() => heartbeatsOf(client).at(-1)?.cursor, { timeout: 20_000 }).toBe(notified());
    await write('other', 'blue');
    // Further than the last notification: the filter doesn't match.
    const position = () => heartbeatsOf(client).at(-1)?.cursor ?? '';
    await expect.poll(() => position() > notified(), { timeout: 20_000 }).toBe(true);
    const cursor = position();
    await write('seen', 'red');
    await expect.poll(() => heardOn(client, channel).length, { timeout: 20_000 }).toBe(2);
    client.close();
    await client.closed;
    await write('missed', 'red');

    const again = await connect(url);
    await again.request({ controller: 'client', action: 'hello', body: { v: 1 } });
    expect((await again.request({ ...subscription, cursor })).result).toMatchObject({ resumed: true });
    const isResumed = () => heardOn(again, channel).some(({ action }) => action === 'resumed');
    await expect.poll(isResumed, { timeout: 20_000 }).toBe(true);
    // 'missed' was not delivered to anybody, so a position before it would repeat it.
    const count = heartbeatsOf(again).length;
    await expect.poll(() => heartbeatsOf(again).length, { timeout: 20_000 }).toBeGreaterThan(count + 1);
    expect(heartbeatsOf(again).at(-1)).toEqual({ type: 'heartbeat', sent: 3 });
    await write('live', 'red');
    const ids = () =>
      heardOn(again, channel)
        .filter(isOfDocument)
        .map(({ result: { _id } }) => _id);
    await expect.poll(ids, { timeout: 20_000 }).toEqual(['seen', 'missed', 'live']);
    await expect
      .poll(() => heartbeatsOf(again).at(-1)?.cursor, { timeout: 20_000 })
      .toBe(heardOn(again, channel).at(-1)?.cursor);
    again.close();
  }, 120_000);
});

interface Heartbeat {
  readonly type: string;
  readonly cursor?: string;
}

/** The heartbeats that have come in. */
function heartbeatsOf({ everything }: MessageClient): readonly Heartbeat[] {
  return everything.flatMap((text) => {
    const message = JSON.parse(text) as readonly [string, Heartbeat] | Heartbeat;
    const heartbeat = 'type' in message ? message : Array.isArray(message) ? message[1] : undefined;
    return heartbeat?.type === 'heartbeat' ? [heartbeat] : [];
  });
}

/** Everything that has come in on a channel: a replay may arrive together with the answer. */
function heardOn({ everything }: MessageClient, channel: string): readonly Notification[] {
  return everything.flatMap((text) => {
    if (!text.includes(channel)) return [];
    const message = JSON.parse(text) as readonly [string, Notification] | (Notification & { room: string });
    if (Array.isArray(message)) return message[0] === channel ? [message[1] as Notification] : [];
    return 'room' in message && message.room === channel ? [message] : [];
  });
}

function isOfDocument({ result }: Notification): boolean {
  return result._id !== undefined;
}

function short({ action, scope, cursor, result }: Notification): string {
  return `${cursor} ${action} ${scope} ${result._id} ${result._version}`;
}
