import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';

/*
 * Resumed subscriptions on the change log of the embedded engine.
 */

const AT = { index: 'city', collection: 'stations' };
const RED = { equals: { colour: 'red' } };

interface Subscribed {
  readonly channel: string;
  readonly cursor: string;
  readonly resumed: boolean;
  readonly gap?: { readonly reason: string };
}

describe('subscriptions on the change log', () => {
  let server: StartedKernel;
  let protocol: MemoryProtocol;

  beforeEach(async () => {
    protocol = new MemoryProtocol();
    server = await startKernel({ plugins: [protocol.plugin] });
  });
  afterEach(() => server.close());

  const run = async (controller: string, action: string, fields: JsonObject = {}) => {
    const response = await server.kernel.execute({ controller, action, ...AT, ...fields });
    if (response.error !== null) throw new Error(JSON.stringify(response.error));
    return response.result as JsonObject;
  };
  const subscribe = async (client: MemoryClient, cursor?: string) => {
    const position = cursor === undefined ? { mode: 'auto' } : { cursor, mode: 'events' };
    const response = await client.request({
      controller: 'realtime',
      action: 'subscribe',
      ...AT,
      body: RED,
      ...position,
    });
    expect(response.error).toBeNull();
    return response.result as unknown as Subscribed;
  };

  it('replays the missed changes of a collection that did not exist (LOG-1, LOG-4)', async () => {
    const first = protocol.connect();
    const { cursor } = await subscribe(first);
    first.close();
    await run('document', 'create', { _id: 'a', body: { colour: 'red' } });
    await run('document', 'create', { _id: 'silent', body: { colour: 'red' }, silent: true });
    await run('document', 'update', { _id: 'a', body: { colour: 'blue' } });
    const second = protocol.connect();
    const resumed = await subscribe(second, cursor);
    expect(resumed).toMatchObject({ resumed: true });
    await expect.poll(() => second.heard(resumed.channel)).toEqual(['create in a', 'update out a', 'resumed']);
  });

  it('sends clients that return together the state since their own positions (RESUME-12, RESUME-30)', async () => {
    const witness = protocol.connect();
    const red = new Set<string>();
    const known = [{ cursor: (await subscribe(witness)).cursor, red: new Set(red) }];
    for (let n = 0; n < 60; n++) {
      const [_id, colour] = [`d${(n * 7) % 9}`, (n * 5) % 3 === 0 ? 'red' : 'blue'];
      if (n % 4 === 3) await run('document', 'delete', { _id }).catch(() => undefined);
      else await run('document', 'createOrReplace', { _id, body: { colour } });
      if (n % 4 !== 3 && colour === 'red') red.add(_id);
      else red.delete(_id);
      const client = protocol.connect();
      known.push({ cursor: (await subscribe(client)).cursor, red: new Set(red) });
      client.close();
    }
    const returned = known.map(async ({ cursor, red: mirror }) => {
      const client = protocol.connect();
      const request = { controller: 'realtime', action: 'subscribe', ...AT, body: RED, cursor, mode: 'state' };
      const { result } = await client.request(request);
      const { channel } = result as unknown as Subscribed;
      await expect.poll(() => client.heard(channel).at(-1)).toBe('resumed');
      const ids = new Set<string>();
      for (const line of client.heard(channel).slice(0, -1)) {
        const [, scope, id = ''] = line.split(' ');
        expect(ids.has(id), 'one notification for each document').toBe(false);
        ids.add(id);
        if (scope === 'in') mirror.add(id);
        else expect(mirror.delete(id), line).toBe(true);
      }
      return [...mirror].sort();
    });
    for (const mirror of await Promise.all(returned)) expect(mirror).toEqual([...red].sort());
  });

  it('forgets what was erased (LOG-10)', async () => {
    const client = protocol.connect();
    const { cursor } = await subscribe(client);
    await run('document', 'create', { _id: 'a', body: { colour: 'red' } });
    await run('document', 'delete', { _id: 'a' });
    await run('collection', 'eraseHistory');
    const resumed = await subscribe(protocol.connect(), cursor);
    expect(resumed).toMatchObject({ resumed: false, gap: { reason: 'expired' } });
    const absent = await server.kernel.execute({
      controller: 'collection',
      action: 'eraseHistory',
      ...AT,
      collection: 'none',
    });
    expect(absent.error).toMatchObject({ id: 'storage.collection_not_found' });
  });

  it('loses and repeats nothing while clients come and go under writes and batches (LOG-6)', async () => {
    await run('collection', 'create', { body: { properties: { n: { type: 'integer' } } } });
    let isWriting = true;
    let n = 0;
    const colour = () => (n % 3 === 0 ? 'blue' : 'red');
    const single = async (writer: number) => {
      while (isWriting) {
        n += 1;
        const _id = `s${writer}-${n % 7}`;
        if (n % 5 === 0) await run('document', 'delete', { _id }).catch(() => undefined);
        else await run('document', 'createOrReplace', { _id, body: { n, colour: colour() } });
      }
    };
    const batches = async () => {
      while (isWriting) {
        const documents = Array.from({ length: 40 }, (_, i) => {
          n += 1;
          return { _id: `b${i}`, body: { n, colour: colour() } };
        });
        await run('document', 'mCreateOrReplace', { body: { documents } });
        // A resume replays a bounded number of changes, however slow the machine.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const client = protocol.connect();
    const first = await subscribe(client);
    const writers = [single(1), single(2), batches()];
    const mirror = new Map<string, unknown>();
    const seen = new Set<string>();
    let cursor = first.cursor;
    let open = { client, channel: first.channel };
    /** Takes some of the messages, as if the connection had been cut after them. */
    const take = (share: number) => {
      const messages = open.client.received.filter(({ channel }) => channel === open.channel);
      for (const { message } of messages.slice(0, Math.ceil(messages.length * share))) {
        const { result, action, scope } = message;
        const position = (message['cursor'] ?? result['cursor']) as string;
        expect(action).not.toBe('gap');
        expect(position >= cursor, `${position} after ${cursor}`).toBe(true);
        cursor = position;
        if (action === 'resumed') continue;
        const { _id, _source, _version } = result as { _id: string; _source?: JsonObject; _version: number };
        const change = `${_id} ${_version} ${position}`;
        expect(seen.has(change), change).toBe(false);
        seen.add(change);
        if (scope === 'in') mirror.set(_id, _source?.n);
        else mirror.delete(_id);
      }
    };
    for (let cut = 0; cut < 25; cut += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      take((cut % 4) / 3);
      open.client.close();
      const next = protocol.connect();
      const resumed = await subscribe(next, cursor);
      expect(resumed.resumed, JSON.stringify(resumed)).toBe(true);
      open = { client: next, channel: resumed.channel };
    }
    isWriting = false;
    await Promise.all(writers);
    const expected = async () => {
      const body = { query: { term: { colour: 'red' } } };
      const found = await run('document', 'search', { body, size: 1_000 });
      const { hits } = found as unknown as { hits: { _id: string; _source: JsonObject }[] };
      return hits.map(({ _id, _source }) => [_id, _source.n]).sort();
    };
    await expect.poll(() => open.client.received.some(({ message }) => message.action === 'resumed')).toBe(true);
    const due = await expected();
    await expect
      .poll(() => {
        take(1);
        open.client.received.splice(0);
        return [...mirror].sort();
      })
      .toEqual(due);
  });
});
