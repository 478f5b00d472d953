/* Rights on documents over several nodes (SEC-86). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { hasRedis } from '../memory/startRedis.js';
import { discard, hasElasticsearch, startEngine, testConfig } from '../storage/openElasticsearch.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';
import { AT } from './subscribeOn.js';

const PASSWORD = 'correct-horse-7';
const MAPPING = {
  dynamic: 'true',
  properties: { owner: { type: 'keyword' }, title: { type: 'text' }, salary: { type: 'long' } },
};
const READING = {
  documents: { term: { owner: { $ref: 'user._id' } } },
  fields: { except: ['salary'] },
};

const ENGINES = [
  { engine: 'the embedded engine', config: undefined },
  ...(hasElasticsearch() ? [{ engine: 'Elasticsearch', config: testConfig() }] : []),
];

describe.skipIf(!hasRedis()).each(ENGINES)('rights on two nodes with $engine', ({ config }) => {
  let cluster: Nodes;
  let a: Node;
  let b: Node;
  let admin: string;

  const login = async (node: Node, username: string) => {
    const body = { username, password: PASSWORD };
    const { jwt } = await node.result({ controller: 'auth', action: 'login', strategy: 'local', body });
    return jwt as string;
  }; // prettier-ignore
  const secure = (action: string, _id: string, body: JsonObject) =>
    a.result({ controller: 'security', action, jwt: admin, _id, body });
  const roleOf = (search: JsonObject) => ({
    controllers: { document: { actions: { search } }, realtime: { actions: { '*': true } } },
  });
  const user = async (name: string) => {
    await secure('createUser', name, { profileIds: ['members'], password: PASSWORD });
    return login(b, name);
  };
  const put = (node: Node, _id: string, body: JsonObject | null) =>
    node.result({
      controller: 'document',
      action: body === null ? 'delete' : 'createOrReplace',
      jwt: admin,
      ...AT,
      _id,
      ...(body && { body }),
    });
  const subscribe = async (node: Node, jwt: string, fields: JsonObject = {}) => {
    const client = node.connect();
    const request = { controller: 'realtime', action: 'subscribe', ...AT, jwt, mode: 'events', body: {} };
    const { result, error } = await client.request({ ...request, ...fields });
    expect(error).toBeNull();
    const answer = result as unknown as { readonly roomId: string; readonly cursor: string };
    const told = () => client.received.flatMap(({ message }) => {
      const { action, scope, result: { _id, _source } } = message as unknown as { readonly action: string; readonly scope: string; readonly result: JsonObject };
      return _id === undefined ? [] : [[`${action} ${scope} ${_id as string}`, _source]];
    });
    return { client, answer, told };
  }; // prettier-ignore

  beforeAll(async () => {
    const openEngine = config && { openEngine: () => startEngine(config) };
    cluster = await openNodes(2, {}, [], openEngine);
    [a, b] = cluster.nodes as [Node, Node];
    await a.result({ controller: 'security', action: 'createFirstAdmin', _id: 'root', body: { password: PASSWORD } });
    admin = await login(b, 'root');
    await a.result({ controller: 'index', action: 'create', jwt: admin, index: AT.index });
    await a.result({
      controller: 'collection',
      action: 'create',
      jwt: admin,
      ...AT,
      body: MAPPING,
    });
    await secure('createRole', 'member', roleOf(READING));
    await secure('createProfile', 'members', { policies: [{ roleId: 'member' }] });
  }, 120_000);
  afterAll(async () => {
    await cluster.close();
    if (config !== undefined) await discard(await startEngine(config), config);
  });

  it('SEC-86: limits what other nodes notify, live and resumed', async () => {
    const jwt = await user('ada');
    const live = await subscribe(b, jwt);
    const byQuery = await subscribe(b, jwt, { query: { exists: { field: 'owner' } } });
    await put(a, 'own', { owner: 'ada', title: 'a', salary: 1 });
    await put(a, 'other', { owner: 'bob', title: 'b' });
    await put(b, 'own', { owner: 'ada', title: 'a', salary: 2 });
    await put(a, 'own', { owner: 'bob', title: 'a' });
    await put(a, 'own', { owner: 'ada', title: 'c', added: { here: 1 } });
    await put(a, 'own', null);
    const all = [
      ['create in own', { owner: 'ada', title: 'a' }],
      ['update out own', undefined],
      ['update in own', { owner: 'ada', title: 'c', added: { here: 1 } }],
      ['delete out own', undefined],
    ];
    for (const { told } of [live, byQuery]) {
      await eventually(told, (lines) => lines.length >= all.length);
      expect(told()).toEqual(all);
    }
    const resumed = await subscribe(a, jwt, { cursor: live.answer.cursor });
    await eventually(resumed.told, (lines) => lines.length >= all.length);
    expect(resumed.told()).toEqual(all);
  }, 120_000);

  it('SEC-86: joins and counts rooms of an equal right on other nodes', async () => {
    await secure('createOrReplaceRole', 'open', roleOf({ documents: { term: { title: 'open' } } }));
    await secure('createOrReplaceProfile', 'openers', { policies: [{ roleId: 'open' }] });
    const openers = await Promise.all(
      ['eve', 'fay'].map(async (name) => {
        await secure('createUser', name, { profileIds: ['openers'], password: PASSWORD });
        return login(a, name);
      }),
    );
    const [eve, fay] = openers as [string, string];
    const {
      answer: { roomId },
    } = await subscribe(a, eve, { body: { exists: 'title' } });
    const ask = async (action: string, jwt: string) => {
      const client = b.connect();
      return client.request({ controller: 'realtime', action, roomId, jwt });
    };
    await eventually(
      async () => (await ask('count', fay)).status,
      (status) => status === 200,
    );
    expect((await ask('count', fay)).result).toMatchObject({ count: 1 });
    expect((await ask('join', fay)).result).toMatchObject({ roomId });
    const gil = await user('gil');
    for (const action of ['join', 'count', 'presence']) {
      for (const jwt of [gil, admin]) expect((await ask(action, jwt)).status).toBe(404);
    }
  }, 120_000);

  it('SEC-86: ends subscriptions on other nodes when the right changes', async () => {
    const { client } = await subscribe(b, await user('hal'));
    await secure('createOrReplaceRole', 'member', roleOf({ ...READING, fields: { only: ['title'] } }));
    await eventually(
      () => client.received.map(({ message }) => message['action'] as string),
      (actions) => actions.includes('subscriptionEnded'),
    );
  }, 120_000);
});
