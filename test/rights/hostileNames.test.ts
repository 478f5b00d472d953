/*
 * Results have names that clients choose. Whatever these are, results show nothing hidden: the values of hidden fields
 * and of hidden documents contain a word that no result may contain. MILLRACE_TEST_STEPS sets the number of searches.
 */
import { websocket } from '@millrace/protocol-websocket';
import type { JsonObject } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Chance } from '../differential/Chance.js';
import { startSecured, type Account, type SecuredServer } from '../security/securedServer.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import { HOSTILE_NAMES, HOSTILE_WORDS } from './hostileNames.js';
import { documentRole } from './notes.js';
import { worldEngines } from './worlds.js';

const SEED = Number(process.env['MILLRACE_TEST_SEED'] ?? 5);
const STEPS = Number(process.env['MILLRACE_TEST_STEPS'] ?? 100);
const PEOPLE = '/hostile/people';
const SECRET = 'hiddenvalue';
const WAIT = { timeout: 30_000, interval: 10 };

const job = {
  type: 'nested',
  properties: {
    title: { type: 'keyword' },
    wage: { type: 'keyword' },
    parts: {
      type: 'nested',
      properties: { name: { type: 'keyword' }, cost: { type: 'keyword' } },
    },
  },
};
const MAPPING = {
  dynamic: false,
  properties: {
    owner: { type: 'keyword' },
    age: { type: 'integer' },
    name: { type: 'text', fields: { raw: { type: 'keyword' } } },
    salary: { type: 'keyword' },
    jobs: job,
    ...Object.fromEntries(
      HOSTILE_WORDS.map((word) => [word, { properties: { shown: { type: 'keyword' }, secret: { type: 'text' } } }]),
    ),
  },
};
const HIDDEN = ['salary', 'jobs.wage', 'jobs.parts.cost'];
const SHOWN = ['owner', 'age', 'name', 'jobs.title', 'jobs.parts.name'];
const EXCEPT = { except: [...HIDDEN, ...HOSTILE_WORDS.map((word) => `${word}.secret`)] };
const ONLY = { only: [...SHOWN, ...HOSTILE_WORDS.map((word) => `${word}.shown`)] };
/** Every document that both cover shows the same fields. */
const LESS = { only: ['owner', 'age', 'name', 'jobs.title', 'jobs.parts.name'] };

function person(owner: string, seen: string): JsonObject {
  const part = { name: seen, cost: SECRET };
  return {
    owner,
    name: `mill ${seen}`,
    salary: SECRET,
    jobs: [{ title: seen, wage: SECRET, parts: [part, part] }, { wage: SECRET }],
    ...Object.fromEntries(HOSTILE_WORDS.map((word) => [word, { shown: seen, secret: `mill ${SECRET}` }])),
  };
}

function nestedHits(chance: Chance): JsonObject {
  const inner = () => ({ name: chance.of(HOSTILE_NAMES), highlight: { fields: { '*': {} } } });
  const parts = { path: 'jobs.parts', query: { match_all: {} }, inner_hits: inner() };
  const query = chance.percent(50) ? { nested: parts } : { match_all: {} };
  return { nested: { path: 'jobs', query, inner_hits: inner() } };
}

function aggregations(chance: Chance, depth: number): JsonObject {
  const count = chance.between(1, 3);
  return Object.fromEntries(chance.list(count, () => [chance.of(HOSTILE_NAMES), aggregation(chance, depth)]));
}

function aggregation(chance: Chance, depth: number): JsonObject {
  const name = () => chance.of(HOSTILE_NAMES);
  const hits = { size: 10, highlight: { fields: { '*': {} } } };
  if (depth === 0) return { top_hits: hits };
  const all = { match_all: {} };
  const bodies: readonly (() => JsonObject)[] = [
    () => ({ filter: all }),
    () => ({ filters: { filters: { [name()]: all, [name()]: all }, other_bucket_key: name() } }),
    () => ({ nested: { path: 'jobs' } }),
    () => ({ terms: { field: 'owner' } }),
    () => ({ missing: { field: 'age' } }),
    () => ({ range: { field: 'age', keyed: true, missing: 1, ranges: [{ key: name() }] } }),
  ];
  return { ...chance.of(bodies)(), aggs: aggregations(chance, depth - 1) };
}

function search(chance: Chance): JsonObject {
  return {
    size: chance.of([0, 3, 20]),
    query: chance.percent(50) ? nestedHits(chance) : { multi_match: { query: `mill ${SECRET}`, fields: ['*'] } },
    aggs: aggregations(chance, chance.below(3)),
    highlight: { fields: { '*': {} }, require_field_match: false },
    ...chance.options<JsonObject[string]>({
      _source: [40, () => chance.of([false, ['*'], ['*s'], { excludes: ['*.shown'] }])],
    }),
  };
}

/** The rights of the users, with a name for each. */
const RIGHTS: Readonly<Record<string, readonly JsonObject[]>> = {
  except: [{ fields: EXCEPT, documents: { term: { owner: 'me' } } }],
  only: [{ fields: ONLY, documents: { term: { owner: 'me' } } }],
  'two policies': [
    { fields: LESS, documents: { terms: { owner: ['me', 'we'] } } },
    { fields: EXCEPT, documents: { term: { owner: 'me' } } },
  ],
};

describe.each(worldEngines('names'))('names of clients on $engine', ({ configs }) => {
  let server: SecuredServer;
  let url: string;
  const users = new Map<string, Account>();

  beforeAll(async () => {
    server = await startSecured({ ...configs[0], websocket: { port: 0 } }, { plugins: [websocket()] });
    const addresses = await server.started.kernel.start();
    url = addresses.find(({ protocol }) => protocol === 'websocket')?.url ?? '';
    await server.result('PUT', PEOPLE, { body: MAPPING });
    for (const [at, id] of HOSTILE_WORDS.entries()) {
      const owner = at % 3 === 0 ? SECRET : at % 3 === 1 ? 'me' : 'we';
      await server.result('PUT', `${PEOPLE}/${id}`, { body: person(owner, 'seen') });
    }
    await server.result('POST', '/hostile/_refresh');
    for (const [name, rights] of Object.entries(RIGHTS)) users.set(name, await user(rights));
  }, 120_000);
  afterAll(async () => {
    await server.http('DELETE', '/hostile');
    await server.close();
  });

  /** A user with a policy for each of the rights, in roles and a profile with names of that kind. */
  async function user(rights: readonly JsonObject[]): Promise<Account> {
    const account = await server.account({ controllers: { none: { actions: {} } } });
    const policies = [];
    for (const [at, right] of rights.entries()) {
      const roleId = HOSTILE_WORDS[at] as string;
      const role = documentRole({ get: right, search: right, scroll: true });
      const id = `${roleId}-${account.id}`;
      await server.result('POST', `/roles/${id}/_create`, { body: role });
      policies.push({ roleId: id });
    }
    await server.result('PUT', `/profiles/${account.profileId}`, { body: { policies } });
    return account;
  }

  const each = Object.keys(RIGHTS);

  it.each(each)(
    'SEC-83: show nothing hidden in results, pages of scrolls and followed searches (%s)',
    { timeout: 3_600_000 },
    async (name) => {
      const { jwt } = users.get(name) as Account;
      const chance = new Chance(SEED);
      const client = await connectWebsocket(url);
      const statuses = new Map<number, number>();
      const check = ({ status, text }: { readonly status: number; readonly text: string }, of: JsonObject) => {
        // prettier-ignore
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const sent = `seed ${SEED}: ${JSON.stringify(of)}`;
        expect(status, `${sent} ${text}`).toBeLessThan(500);
        if (status === 200) expect(text.includes(SECRET), sent).toBe(false);
      };
      for (let step = 0; step < STEPS; step += 1) {
        const body = search(chance);
        check(await server.http('POST', `${PEOPLE}/_search`, { jwt, body }), body);
        if (chance.percent(10)) {
          const first = await server.http('POST', `${PEOPLE}/_search?scroll=1m`, {
            jwt,
            body: { ...body, size: 2 },
          });
          check(first, body);
          const id = first.result?._scroll_id as string | undefined;
          if (id !== undefined) check(await server.http('POST', `/_scroll/${id}`, { jwt, body: {} }), body);
        }
        if (chance.percent(5)) {
          const message = {
            controller: 'realtime',
            action: 'follow',
            index: 'hostile',
            collection: 'people',
            jwt,
            body,
          };
          const answer = await client.request(message);
          const { status } = answer as unknown as { readonly status: number };
          check({ status, text: JSON.stringify(answer) }, body);
        }
      }
      client.close();
      // Two inner hits of one name are refused.
      expect(statuses.get(200)).toBeGreaterThan(STEPS / 2);
    },
  );

  it('SEC-84: each document shows the fields of the policies that cover it', async () => {
    const { jwt } = users.get('two policies') as Account;
    const body = { size: 100 };
    const { hits } = await server.result('POST', `${PEOPLE}/_search`, { jwt, body });
    const sources = (hits as { readonly _source: JsonObject }[])
      .map(({ _source: { jobs, key, salary, age } }) => JSON.stringify({ jobs, key, salary, age }))
      .toSorted();
    const [part] = [{ name: 'seen' }];
    const jobs = [{ title: 'seen', parts: [part, part] }];
    const more = JSON.stringify({ jobs, key: { shown: 'seen' } });
    const less = JSON.stringify({ jobs });
    expect([...new Set(sources)]).toEqual([more, less]);
  });

  it('SEC-86: show nothing hidden in notifications and deltas', { timeout: 120_000 }, async () => {
    const client = await connectWebsocket(url);
    const { jwt } = users.get('except') as Account;
    const asked = { controller: 'realtime', index: 'hostile', collection: 'people', jwt };
    const subscribed = await client.request({ ...asked, action: 'subscribe', body: {} });
    const aggs = { _source: { top_hits: { size: 100 } } };
    const query = { nested: { path: 'jobs', query: { match_all: {} }, inner_hits: { name: '_source' } } };
    const followed = await client.request({
      ...asked,
      action: 'follow',
      body: { size: 5, sort: [{ 'name.raw': 'asc' }], query, aggs },
    });
    const channels = [subscribed, followed].map(({ result }) => (result as JsonObject).channel);
    const received = await Promise.all(channels.map((channel) => client.receive(channel as string)));
    for (const id of ['hits', 'constructor', 'value']) {
      await server.result('PUT', `${PEOPLE}/${id}`, { body: person('me', 'aaa') });
    }
    const isDone = () => received.every((list) => JSON.stringify(list).includes('aaa'));
    await vi.waitFor(() => expect(isDone()).toBe(true), WAIT);
    expect(JSON.stringify(received)).not.toContain(SECRET);
    client.close();
  });
});
