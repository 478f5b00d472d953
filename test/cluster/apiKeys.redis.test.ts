import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { hasRedis } from '../memory/startRedis.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';

const PASSWORD = 'correct-horse-7';
const AT = { index: 'shop', collection: 'things' };
const USER = {
  controllers: { document: { actions: { '*': true } }, auth: { actions: { '*': true } }, realtime: { actions: { '*': true } } },
}; // prettier-ignore

describe.skipIf(!hasRedis())('API keys over several nodes (KEY-8)', () => {
  let cluster: Nodes;
  let a: Node;
  let b: Node;
  let admin: string;

  const secure = (node: Node, action: string, fields: object) =>
    node.result({ controller: 'security', action, jwt: admin, ...fields });
  const create = async (node: Node, userId: string, body: JsonObject = {}) =>
    (await secure(node, 'createApiKey', { _id: userId, body: { name: 'x', ...body } })) as { _id: string; key: string };
  const statuses = (jwt: string) =>
    Promise.all(
      cluster.nodes.map(
        async (node) => (await node.ask({ controller: 'document', action: 'search', ...AT, jwt })).status,
      ),
    );
  const subscribe = async (node: Node, jwt: string) => {
    const client = node.connect();
    const { result, status } = await client.request({
      controller: 'realtime',
      action: 'subscribe',
      ...AT,
      body: {},
      jwt,
    });
    expect(status).toBe(200);
    const { channel } = result as { channel: string };
    client.channels.add(channel);
    return { client, heard: () => client.heard(channel) };
  };
  const ended = (heard: readonly string[]) => heard.includes('subscriptionEnded');

  beforeAll(async () => {
    cluster = await openNodes(2);
    [a, b] = cluster.nodes as [Node, Node];
    await a.result({ controller: 'security', action: 'createFirstAdmin', _id: 'root', body: { password: PASSWORD } });
    const body = { username: 'root', password: PASSWORD };
    const { jwt } = await a.result({ controller: 'auth', action: 'login', strategy: 'local', body });
    admin = jwt as string;
    await a.result({ controller: 'collection', action: 'create', jwt: admin, ...AT });
    await secure(a, 'createRole', { _id: 'user', body: USER });
    await secure(a, 'createProfile', { _id: 'users', body: { policies: [{ roleId: 'user' }] } });
    for (const _id of ['ada', 'bob']) {
      await secure(a, 'createUser', { _id, body: { profileIds: ['users'], password: PASSWORD } });
    }
  });
  afterAll(() => cluster.close());

  it('refuses a deleted key on every node once the deletion is answered', async () => {
    for (let n = 0; n < 5; n++) {
      const { _id: keyId, key } = await create(a, 'ada');
      expect(await statuses(key)).toEqual([200, 200]);
      await secure(b, 'deleteApiKey', { _id: 'ada', keyId });
      expect(await statuses(key)).toEqual([401, 401]);
    }
  });

  it('refuses a replaced secret on every node, and keeps the new one', async () => {
    const { _id: keyId, key } = await create(a, 'ada');
    expect(await statuses(key)).toEqual([200, 200]);
    const rotated = await secure(b, 'rotateApiKey', { _id: 'ada', keyId, graceMs: 0 });
    expect(await statuses(key)).toEqual([401, 401]);
    expect(await statuses(rotated['key'] as string)).toEqual([200, 200]);
  });

  it('refuses the keys of a deleted user on every node, also for a later user of the id', async () => {
    const { key } = await create(a, 'bob');
    expect(await statuses(key)).toEqual([200, 200]);
    await secure(b, 'deleteUser', { _id: 'bob' });
    expect(await statuses(key)).toEqual([401, 401]);
    const body = { profileIds: ['users'], password: PASSWORD };
    await secure(a, 'createUser', { _id: 'bob', body });
    expect(await statuses(key)).toEqual([401, 401]);
  });

  it('ends subscriptions on one node by a deletion on another', async () => {
    const { _id: keyId, key } = await create(a, 'ada');
    const { client, heard } = await subscribe(b, key);
    await secure(a, 'deleteApiKey', { _id: 'ada', keyId });
    await eventually(heard, ended, 1_000);
    client.close();
  });

  it('ends subscriptions with a replaced secret after its grace, and not those with the new one', async () => {
    const { _id: keyId, key } = await create(a, 'ada');
    const old = await subscribe(b, key);
    const rotated = await secure(a, 'rotateApiKey', { _id: 'ada', keyId, graceMs: 500 });
    const renewed = await subscribe(b, rotated['key'] as string);
    await eventually(old.heard, ended);
    await a.result({ controller: 'document', action: 'create', ...AT, _id: 'n1', body: {}, jwt: admin });
    await eventually(renewed.heard, (heard) => heard.includes('create in n1'));
    expect(ended(renewed.heard())).toBe(false);
    old.client.close();
    renewed.client.close();
  });
});
