import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import type { MemoryClient } from '../realtime/MemoryProtocol.js';
import { openNodes, type Nodes } from './openNodes.js';

const AT = { index: 'shop', collection: 'sales' };

interface Subscribed {
  readonly channel: string;
  readonly cursor: string;
  readonly resumed: boolean;
}

describe('named subscriptions on two nodes (RESUME-41, RESUME-45)', () => {
  let cluster: Nodes;
  let jwt: string;

  beforeAll(async () => {
    cluster = await openNodes(2);
    const [node] = cluster.nodes;
    const body = { _id: 'ada', password: 'Long-enough-pass-1' };
    await node?.result({ controller: 'security', action: 'createFirstAdmin', body });
    const credentials = { strategy: 'local', username: 'ada', password: body.password };
    const login = await node?.result({ controller: 'auth', action: 'login', body: credentials });
    jwt = login?.jwt as string;
  }, 60_000);
  afterAll(() => cluster.close());

  const connect = (at: number) => cluster.nodes[at]?.connect() as MemoryClient;
  const realtime = (client: MemoryClient, action: string, fields: JsonObject) =>
    client.request({ controller: 'realtime', action, jwt, ...fields });
  const subscribe = async (client: MemoryClient, name: string) => {
    const { error, result } = await realtime(client, 'subscribe', { ...AT, body: {}, name });
    expect(error).toBeNull();
    return result as unknown as Subscribed;
  };
  const eventually = <T>(get: () => T) => expect.poll(get, { timeout: 30_000 });
  const reasons = (client: MemoryClient) =>
    client.received.map(({ message }) => message.result.reason).filter((reason) => reason !== undefined);

  it('a newcomer on another node continues after the last acknowledgement, stored or not', async () => {
    const former = connect(0);
    const { channel, cursor } = await subscribe(former, 'till');
    await realtime(former, 'ack', { name: 'till', cursor });
    for (const _id of ['a', 'b', 'c']) {
      await cluster.nodes[0]?.result({ controller: 'document', action: 'create', ...AT, _id, body: {}, jwt });
    }
    await eventually(() => former.heard(channel)).toEqual(['create in a', 'create in b', 'create in c']);
    const second = former.received.find(({ message }) => message.result._id === 'b')?.message;
    expect((await realtime(former, 'ack', { name: 'till', cursor: second?.cursor as string })).error).toBeNull();
    const newcomer = connect(1);
    expect(await subscribe(newcomer, 'till')).toMatchObject({ channel, resumed: true });
    await eventually(() => newcomer.heard(channel)).toEqual(['create in c', 'resumed']);
    await eventually(() => reasons(former)).toEqual(['taken_over']);
    expect((await realtime(former, 'ack', { name: 'till', cursor })).error).toMatchObject({
      id: 'realtime.name_not_held',
    });
    former.close();
    newcomer.close();
  });

  it('a request whose connection is lost takes no name from its successor on another node', async () => {
    const [holder, lost, successor] = [connect(0), connect(0), connect(1)];
    const { cursor } = await subscribe(holder, 'slow');
    await realtime(holder, 'ack', { name: 'slow', cursor });
    let release: () => void = () => undefined;
    const isBlocked = new Promise<void>((resolve) => {
      cluster.afterWrite = async () => {
        cluster.afterWrite = undefined;
        resolve();
        await new Promise<void>((done) => (release = done));
      };
    });
    // It waits until the acknowledgement of the holder is stored.
    void realtime(lost, 'subscribe', { ...AT, body: {}, name: 'slow' });
    await isBlocked;
    lost.close();
    await subscribe(successor, 'slow');
    release();
    // Time for the lost one to go on.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await realtime(successor, 'ack', { name: 'slow', cursor })).error).toBeNull();
    expect(reasons(successor)).toEqual([]);
    for (const client of [holder, successor]) client.close();
  });

  it('one of two that come at once holds the name', async () => {
    for (let round = 0; round < 30; round++) {
      const name = `both-${round % 3}`;
      const both = [connect(0), connect(1)] as const;
      const answers = await Promise.all(both.map((client) => realtime(client, 'subscribe', { ...AT, body: {}, name })));
      const errors = answers.flatMap(({ error }) => (error === null ? [] : [error.id]));
      expect(errors.filter((id) => id !== 'realtime.name_busy')).toEqual([]);
      expect(errors.length).toBeLessThan(2);
      const answer = answers.find(({ error }) => error === null);
      const { cursor } = answer?.result as unknown as Subscribed;
      const holds = async (client: MemoryClient) => (await realtime(client, 'ack', { name, cursor })).error === null;
      const [one, other] = await Promise.all(both.map(holds));
      expect([round, one !== other]).toEqual([round, true]);
      const loser = both[one === true ? 1 : 0];
      const wasTold = () => reasons(loser).includes('taken_over') || errors.length === 1;
      await eventually(wasTold).toBe(true);
      for (const client of both) client.close();
    }
  }, 120_000);
});
