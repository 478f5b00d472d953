/*
 * Random writes, and the followed searches of a user who may see a part of the documents: after each write, the folded
 * result is what a search finds. MILLRACE_TEST_FOLLOW_WRITES sets the number of writes.
 */
import { websocket } from '@millrace/protocol-websocket';
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Delta, WireResult } from '../../packages/client/src/follow/Delta.js';
import { foldDelta } from '../../packages/client/src/follow/foldDelta.js';
import { Chance } from '../differential/Chance.js';
import { startSecured, type Account, type SecuredServer } from '../security/securedServer.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';
import { documentRole, INDEX, MAPPING, NOTES, OWN } from './notes.js';

const WRITES = Number(process.env['MILLRACE_TEST_FOLLOW_WRITES'] ?? 120);
const AT = { index: INDEX, collection: 'notes' };
const TAGS = ['red', 'green', 'blue'];
const IDS = Array.from({ length: 25 }, (_, n) => `n${n}`);
const byId = [{ 'title.raw': 'asc' }, { _id: 'asc' }];
const SEARCHES: readonly JsonObject[] = [
  { query: { match_all: {} }, sort: byId, size: 5 },
  { query: { term: { tag: 'red' } }, sort: byId, size: 3, from: 2 },
  { query: { bool: { must_not: { term: { tag: 'blue' } } } }, sort: [{ _id: 'desc' }], size: 50 },
  { size: 0, aggs: { tags: { terms: { field: 'tag' }, aggs: { pay: { sum: { field: 'salary' } } } } } },
]; // prettier-ignore

/** The right of the user, and how its followed searches are kept up to date. */
const RIGHTS: readonly (readonly [what: string, right: JsonObject, because: string | undefined])[] =
  [
    ['documents', { documents: OWN }, undefined],
    ['documents of a range', { documents: { range: { salary: { lt: 5 } } } }, undefined],
    ['documents and fields', { documents: OWN, fields: { except: ['notes'] } }, 'some of the fields'],
    ['recent documents', { documents: { range: { '_meta.createdAt': { gt: 'now-1h' } } } }, 'relative to now'],
  ]; // prettier-ignore

interface Followed {
  readonly search: JsonObject;
  readonly received: readonly Record<string, unknown>[];
  known: WireResult;
  /** The number of deltas that are folded in. */
  done: number;
}

let server: SecuredServer;
let url: string;
beforeAll(async () => {
  server = await startSecured({ websocket: { port: 0 } }, { plugins: [websocket()] });
  const addresses = await server.started.kernel.start();
  url = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
});
afterAll(() => server.close());

async function write(chance: Chance, owner: string): Promise<void> {
  const path = `${NOTES}/${chance.of(IDS)}`;
  if (chance.percent(20)) await server.http('DELETE', path);
  else {
    const title = `note ${chance.below(6)}`;
    const salary = chance.below(10);
    const body = { owner: chance.of([owner, owner, 'x']), title, tag: chance.of(TAGS), salary };
    await server.result('PUT', path, { body });
  }
}

async function follow(client: MessageClient, { jwt }: Account, search: JsonObject) {
  const fields = { controller: 'realtime', action: 'follow', ...AT, jwt, body: search };
  const { result } = await client.request({ ...fields, maxRateMs: 0 });
  const answer = result as unknown as WireResult & { channel: string; because?: string };
  const { cursor, hits, total, aggregations = null } = answer;
  const known = { cursor, hits, total, aggregations };
  const received = await client.receive(answer.channel);
  return { because: answer.because, followed: { search, received, known, done: 0 } as Followed };
}

/** The folded result, without its position. */
function folded(followed: Followed): JsonObject {
  for (const { result } of followed.received.slice(followed.done)) {
    followed.known = foldDelta(followed.known, result as Delta);
  }
  followed.done = followed.received.length;
  const { hits, total, aggregations } = followed.known;
  return { hits, total, aggregations } as unknown as JsonObject;
}

describe('followed searches of a limited user', () => {
  it.each(RIGHTS)(
    'SEC-86: equal the search: a right to %s',
    async (_what, right, because) => {
      const chance = new Chance(3);
      await server.result('PUT', NOTES, { body: MAPPING });
      const account = await server.account(documentRole({ search: right }));
      const client = await connectWebsocket(url);
      for (let n = 0; n < 30; n += 1) await write(chance, account.id);
      const all: Followed[] = [];
      for (const search of SEARCHES) {
        const made = await follow(client, account, search);
        if (because === undefined) expect(made.because).toBeUndefined();
        else expect(made.because).toContain(because);
        all.push(made.followed);
      }
      const { jwt } = account;
      for (let n = 0; n < (because === undefined ? WRITES : 10); n += 1) {
        await write(chance, account.id);
        for (const each of all) {
          const body = { ...each.search, version: true };
          const found = await server.result('POST', `${NOTES}/_search`, { jwt, body });
          const { hits, total, aggregations = null } = found;
          const expected = { hits, total, aggregations };
          const compare = () => expect(folded(each), `write ${n}`).toEqual(expected);
          await vi.waitFor(compare, { interval: 5, timeout: 20_000 });
        }
      }
      client.close();
      await server.result('DELETE', NOTES);
    },
    120_000,
  );
});
