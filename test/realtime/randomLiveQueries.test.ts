/*
 * Subscribes by random queries over a WebSocket, writes random documents, which add fields to the mapping, and compares
 * what the notifications lead to with searches by the same queries.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { websocket } from '@millrace/protocol-websocket';
import { Chance } from '../differential/Chance.js';
import { randomDocument } from '../differential/randomDocuments.js';
import { randomMapping } from '../differential/randomMapping.js';
import { randomQuery } from '../differential/randomQuery.js';
import { RequestContext } from '../differential/RequestContext.js';
import { startKernel, type StartedKernel } from '../startKernel.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? 22);
const COLLECTIONS = 4;
const QUERIES = 80;
const WRITES = 120;
const IDS = Array.from({ length: 25 }, (_, n) => `d${n}`);
const LAST = 'last';

interface Message {
  readonly action: string;
  readonly scope: string | null;
  readonly room?: string;
  readonly result: { readonly _id?: string; readonly reason?: string } | null;
}

/** What a subscriber knows: the ids of the documents that its query finds. */
interface View {
  readonly query: JsonObject;
  readonly ids: Set<string>;
  /** Why the server ended the subscription. */
  ended?: string;
}

describe('subscriptions by random queries', () => {
  let server: StartedKernel;
  let client: MessageClient;
  const views = new Map<string, View>();
  let readCount = 0;

  beforeAll(async () => {
    server = await startKernel({ plugins: [websocket()], config: { websocket: { port: 0 } } });
    const [, address] = await server.kernel.start();
    client = await connectWebsocket(address?.url ?? '');
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  const execute = (fields: object) => server.kernel.execute({ ...fields });
  const search = async (at: JsonObject, query: JsonObject) => {
    const body = { query: { bool: { filter: query } }, size: 100, _source: false };
    const { error, result } = await execute({
      controller: 'document',
      action: 'search',
      ...at,
      body,
    });
    if (error !== null) return undefined;
    const { hits } = result as unknown as { hits: readonly { _id: string }[] };
    return new Set(hits.map(({ _id }) => _id));
  };
  /** Applies what has arrived since the last time. */
  const listen = () => {
    const texts = client.everything.slice(readCount);
    readCount += texts.length;
    for (const message of texts.map((text) => JSON.parse(text) as Message)) {
      const view = views.get(message.room ?? '');
      if (view === undefined) continue;
      const id = message.result?._id ?? '';
      if (message.action === 'subscriptionEnded') view.ended = message.result?.reason ?? '';
      else if (message.scope === 'in') view.ids.add(id);
      else if (message.scope === 'out') view.ids.delete(id);
    }
  };

  it('know of each document whether the query finds it (LIVE-2, LIVE-3)', async () => {
    const chance = new Chance(SEED);
    let [compared, found, ended, refused] = [0, 0, 0, 0];
    for (let number = 0; number < COLLECTIONS; number += 1) {
      const at = { index: 'random', collection: `c${number}` };
      const random = randomMapping(chance);
      await execute({ controller: 'collection', action: 'create', ...at, body: random.body });
      const put = (_id: string) => {
        const body = randomDocument(random, chance, 8);
        return execute({ controller: 'document', action: 'createOrReplace', ...at, _id, body });
      };
      for (const id of IDS.slice(0, 10)) await put(id);
      views.clear();
      for (let n = 0; n < QUERIES; n += 1) {
        const query = randomQuery(new RequestContext(chance, random, 3), chance.below(3));
        const { error, result } = await client.request({ controller: 'realtime', action: 'subscribe', ...at, query });
        const ids = await search(at, query);
        if (error === null && ids !== undefined) {
          const { channel } = result as unknown as { channel: string };
          views.set(channel, { query, ids });
          continue;
        }
        refused += 1;
        // What a search refuses, a subscription refuses too.
        expect([JSON.stringify(query), error?.['status']]).toEqual([JSON.stringify(query), 400]);
      }
      const all = await client.request({
        controller: 'realtime',
        action: 'subscribe',
        ...at,
        query: { ids: { values: [LAST] } },
      });
      const { channel } = all.result as unknown as { channel: string };
      views.set(channel, { query: { ids: { values: [LAST] } }, ids: new Set() });
      for (let n = 0; n < WRITES; n += 1) {
        const id = chance.of(IDS);
        if (chance.percent(20)) {
          await execute({ controller: 'document', action: 'delete', ...at, _id: id });
        } else await put(id);
      }
      await execute({ controller: 'document', action: 'create', ...at, _id: LAST, body: {} });
      await expect.poll(() => (listen(), views.get(channel)?.ids.has(LAST))).toBe(true);
      for (const { query, ids, ended: reason } of views.values()) {
        const expected = await search(at, query);
        const shown = JSON.stringify(query);
        if (reason !== undefined) {
          ended += 1;
          const isRightly = expected === undefined || reason.includes("can't be decided");
          expect([shown, isRightly]).toEqual([shown, true]);
          continue;
        }
        if (expected === undefined) expect.fail(`A search refuses ${shown}`);
        expect([shown, ...[...ids].sort()]).toEqual([shown, ...[...expected].sort()]);
        compared += 1;
        if (ids.size > 0) found += 1;
      }
    }
    expect(compared).toBeGreaterThan((COLLECTIONS * QUERIES) / 2);
    expect(found).toBeGreaterThan(compared / 4);
    expect(refused).toBeGreaterThan(10);
    if (process.env['MILLRACE_TEST_SEED'] !== undefined) console.log({ compared, found, ended, refused });
  }, 240_000);
});
