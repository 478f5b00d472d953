/* Followed searches of one user leave the others their turns, and pipes their say. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { definePlugin, type JsonObject, type Plugin, type RequestFields } from '@millrace/kernel';
import { flatRole, startSecured, type SecuredServer } from '../security/securedServer.js';
import { MemoryProtocol, type MemoryClient } from './MemoryProtocol.js';

const AT = { index: 'shop', collection: 'items' };
const WAIT = { timeout: 60_000, interval: 20 };
const FOLLOWER = flatRole({ document: ['search'], realtime: ['follow'] });

interface Followed {
  readonly followId: string;
  readonly mode: string;
  readonly because?: string;
  readonly hits: readonly { readonly _source: JsonObject }[];
}

describe('followed searches of several users', () => {
  let protocol: MemoryProtocol;
  let server: SecuredServer;
  afterEach(() => server.close());

  async function open(...plugins: Plugin[]): Promise<void> {
    protocol = new MemoryProtocol();
    server = await startSecured({}, { plugins: [protocol.plugin, ...plugins] });
    await ask({ controller: 'index', action: 'create', index: 'shop' });
    const body = { properties: { price: { type: 'integer' }, name: { type: 'text' } } };
    await ask({ controller: 'collection', action: 'create', ...AT, body });
  }
  async function ask(fields: RequestFields): Promise<JsonObject> {
    const { error, result } = await protocol.connect().request({ jwt: server.adminJwt, ...fields });
    if (error !== null) throw new Error(JSON.stringify(error));
    return result as JsonObject;
  }
  const put = (_id: string, body: JsonObject) =>
    ask({ controller: 'document', action: 'createOrReplace', ...AT, _id, body });

  async function follow(client: MemoryClient, jwt: string, body: JsonObject): Promise<Followed> {
    const fields = { controller: 'realtime', action: 'follow', ...AT, jwt, body };
    const { error, result } = await client.request(fields);
    if (error !== null) throw new Error(JSON.stringify(error));
    const followed = result as unknown as Followed;
    client.channels.add(followed.followId);
    return followed;
  }
  const deltasOf = ({ received }: MemoryClient) => received.filter(({ message }) => message.action === 'followed');

  it('run again in turns: one with many delays the other by a few searches only (FOLLOW-13)', async () => {
    await open();
    const [crowd, single] = [await server.account(FOLLOWER), await server.account(FOLLOWER)];
    const [many, one] = [protocol.connect('192.0.2.1'), protocol.connect('192.0.2.2')];
    // Sorted by score: each of them runs again after each change.
    const scored = (n: number) => ({
      query: { bool: { should: [{ match: { name: 'cup' } }, { term: { price: n } }] } },
    });
    for (let n = 0; n < 60; n++) {
      const { mode } = await follow(many, crowd.jwt, scored(n));
      expect(mode).toBe('rerun');
    }
    await follow(one, single.jwt, scored(1_000));
    const followedMs = performance.now();
    // Until then it would not run again (FOLLOW-9).
    await vi.waitFor(() => expect(performance.now() - followedMs).toBeGreaterThan(300), WAIT);
    let earlier: number | undefined;
    const { push } = Array.prototype;
    one.received.push = (...items) => {
      earlier ??= deltasOf(many).length;
      return push.apply(one.received, items);
    };
    await put('a', { name: 'red cup' });
    await vi.waitFor(() => expect([deltasOf(one).length, deltasOf(many).length]).toEqual([1, 60]), WAIT);
    expect(earlier).toBeLessThan(10);
  });

  it('run again through the pipes, for each user (FOLLOW-12)', async () => {
    const masking = definePlugin({
      name: 'masking',
      kernel: '*',
      setup: (host) => {
        host.pipe({
          when: 'after',
          actions: 'document.search',
          run: ({ request }, result) => {
            const { hits, ...rest } = result as unknown as Followed;
            const shown = hits.map(({ _source, ...hit }) => ({
              ...hit,
              _source: { price: _source.price ?? null, reader: request.user._id },
            }));
            return { ...rest, hits: shown };
          },
        });
      },
    });
    await open(masking);
    const users = [await server.account(FOLLOWER), await server.account(FOLLOWER)];
    const body = { query: { range: { price: { lt: 100 } } }, sort: [{ price: 'asc' }] };
    const clients = users.map(() => protocol.connect());
    for (const [n, { jwt }] of users.entries()) {
      const { mode, because } = await follow(clients[n] as MemoryClient, jwt, body);
      expect({ mode, because }).toEqual({ mode: 'rerun', because: 'a plugin has a pipe on document.search' });
    }
    await put('a', { price: 5, name: 'secret' });
    for (const [n, { id }] of users.entries()) {
      const client = clients[n] as MemoryClient;
      await vi.waitFor(() => expect(deltasOf(client)).toHaveLength(1), WAIT);
      const { changes } = deltasOf(client)[0]?.message.result as { changes: JsonObject[] };
      expect(changes).toMatchObject([{ op: 'insert', hit: { _source: { price: 5, reader: id } } }]);
      expect(JSON.stringify(changes)).not.toContain('secret');
    }
  });
});
