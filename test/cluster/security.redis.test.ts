import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { mqtt } from '@millrace/protocol-mqtt';
import { hasRedis } from '../memory/startRedis.js';
import { connectMqtt } from '../wire/clients/connectMqtt.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';

const PASSWORD = 'correct-horse-7';
const AT = { index: 'shop', collection: 'things' };

describe.skipIf(!hasRedis())('security over several nodes (SEC-55)', () => {
  let cluster: Nodes;
  let a: Node;
  let b: Node;
  let c: Node;
  let admin: string;

  const login = async (node: Node, username: string, password = PASSWORD) => {
    const body = { username, password };
    const { jwt } = await node.result({ controller: 'auth', action: 'login', strategy: 'local', body });
    return jwt as string;
  }; // prettier-ignore
  const check = (node: Node, token: string) =>
    node.result({ controller: 'auth', action: 'checkToken', body: { token } });
  const secure = (node: Node, action: string, fields: object) =>
    node.result({ controller: 'security', action, jwt: admin, ...fields });
  const reader = (right: boolean): JsonObject => ({
    controllers: {
      document: { actions: { search: right } },
      auth: { actions: { '*': true } },
      realtime: { actions: { subscribe: right } },
    },
  });

  beforeAll(async () => {
    cluster = await openNodes(3, {}, [mqtt({ port: 0 })]);
    [a, b, c] = cluster.nodes as [Node, Node, Node];
    await a.result({ controller: 'security', action: 'createFirstAdmin', _id: 'root', body: { password: PASSWORD } });
    admin = await login(b, 'root');
    await a.result({ controller: 'collection', action: 'create', jwt: admin, ...AT });
  });
  afterAll(() => cluster.close());

  it('takes the token of one node on all', async () => {
    for (const node of cluster.nodes) expect(await check(node, admin)).toMatchObject({ valid: true });
  });

  it('knows a token as revoked on every node once the logout is answered', async () => {
    for (let n = 0; n < 10; n++) {
      const jwt = await login(a, 'root');
      for (const node of cluster.nodes) expect(await check(node, jwt)).toMatchObject({ valid: true });
      await b.result({ controller: 'auth', action: 'logout', jwt });
      for (const node of cluster.nodes) expect(await check(node, jwt)).toEqual({ valid: false, state: 'revoked' });
    }
  });

  it('judges by changed roles, profiles and users on every node once the change is answered', async () => {
    await secure(a, 'createRole', { _id: 'reader', body: reader(true) });
    await secure(b, 'createProfile', { _id: 'readers', body: { policies: [{ roleId: 'reader' }] } });
    await secure(c, 'createProfile', { _id: 'nobodies', body: { policies: [{ roleId: 'anonymous' }] } });
    await secure(c, 'createUser', { _id: 'ada', body: { profileIds: ['readers'], password: PASSWORD } });
    const jwt = await login(a, 'ada');
    const search = { controller: 'document', action: 'search', ...AT, jwt };
    const statuses = async () => Promise.all(cluster.nodes.map(async (node) => (await node.ask(search)).status));
    for (let n = 0; n < 5; n++) {
      expect(await statuses()).toEqual([200, 200, 200]);
      await secure(b, 'createOrReplaceRole', { _id: 'reader', body: reader(false) });
      expect(await statuses()).toEqual([403, 403, 403]);
      await secure(c, 'createOrReplaceRole', { _id: 'reader', body: reader(true) });
      expect(await statuses()).toEqual([200, 200, 200]);
      await secure(a, 'updateUser', { _id: 'ada', body: { profileIds: ['nobodies'] } });
      expect(await statuses()).toEqual([403, 403, 403]);
      await secure(b, 'updateUser', { _id: 'ada', body: { profileIds: ['readers'] } });
    }
    await secure(c, 'deleteUser', { _id: 'ada' });
    expect(await statuses()).toEqual([401, 401, 401]);
  });

  it('ends subscriptions on one node by what happens on another, and carries them over to a new token', async () => {
    await secure(a, 'createUser', { _id: 'bob', body: { profileIds: ['readers'], password: PASSWORD } });
    const first = await login(a, 'bob');
    const client = b.connect();
    const { result, status } = await client.request({
      controller: 'realtime',
      action: 'subscribe',
      ...AT,
      body: {},
      jwt: first,
    });
    expect(status).toBe(200);
    const { channel } = result as { channel: string };
    client.channels.add(channel);
    const { jwt } = await c.result({ controller: 'auth', action: 'refreshToken', jwt: first });
    await a.result({ controller: 'document', action: 'create', ...AT, _id: 'n1', body: {}, jwt: admin });
    await eventually(
      () => client.heard(channel),
      (heard) => heard.includes('create in n1'),
    );
    await a.result({ controller: 'auth', action: 'logout', jwt });
    await eventually(
      () => client.heard(channel),
      (heard) => heard.includes('subscriptionEnded'),
      1_000,
    );
    client.close();
  });

  it('ends an idle MQTT connection whose token is revoked on another node, and no other one (PROTO-63)', async () => {
    const [jwt, kept] = [await login(a, 'root'), await login(a, 'root')];
    const url = b.urls.find((each) => each.startsWith('mqtt')) ?? '';
    const left = await connectMqtt(url, 'left', { username: 'jwt', password: jwt });
    const stays = await connectMqtt(url, 'stays', { username: 'jwt', password: kept });
    await c.result({ controller: 'auth', action: 'logout', jwt });
    await left.closed;
    const { status } = await stays.request({ controller: 'auth', action: 'getCurrentUser' });
    expect(status).toBe(200);
    stays.close();
  });

  it('counts failed logins of all nodes together', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const node = cluster.nodes[n % 3] as Node;
      const body = { username: 'eve', password: 'wrong-password-1' };
      statuses.push((await node.ask({ controller: 'auth', action: 'login', strategy: 'local', body })).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  it('holds specifications and catalogs of one node on all', async () => {
    const specification = { shop: { things: { strict: true, fields: { n: { type: 'integer' } } } } };
    const specify = { controller: 'collection', action: 'updateSpecifications', jwt: admin, body: specification };
    await a.result(specify);
    const create = { controller: 'document', action: 'create', ...AT, body: { n: 'x' }, jwt: admin };
    for (const node of cluster.nodes) expect((await node.ask(create)).status).toBe(400);
    await b.result({ controller: 'collection', action: 'deleteSpecifications', ...AT, jwt: admin });
    for (const node of cluster.nodes) expect((await node.ask(create)).status).toBe(200);
  });

  it('reads a scroll on any node', async () => {
    const at = { index: 'shop', collection: 'pages', jwt: admin };
    const documents = Array.from({ length: 25 }, (_, n) => ({ _id: `d${n}`, body: { n } }));
    await a.result({ controller: 'document', action: 'mCreate', ...at, body: { documents } });
    let page = await a.result({ controller: 'document', action: 'search', ...at, scroll: '1m', size: 10, body: {} });
    const ids: string[] = [];
    for (const node of [b, c, a]) {
      ids.push(...(page['hits'] as { _id: string }[]).map(({ _id }) => _id));
      const body = { scrollId: page['_scroll_id'] as string, scroll: '1m' };
      page = await node.result({ controller: 'document', action: 'scroll', jwt: admin, body });
    }
    expect(new Set(ids).size).toBe(25);
    const gone = { scrollId: `${page['_scroll_id'] as string}0`, scroll: '1m' };
    const { status } = await b.ask({ controller: 'document', action: 'scroll', jwt: admin, body: gone });
    expect(status).toBe(404);
  });
});
