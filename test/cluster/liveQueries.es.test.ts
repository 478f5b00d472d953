import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { hasRedis } from '../memory/startRedis.js';
import { discard, hasElasticsearch, startEngine, testConfig } from '../storage/openElasticsearch.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';
import { AT, subscribe } from './subscribeOn.js';

describe.skipIf(!hasRedis() || !hasElasticsearch())('subscriptions by query on three nodes with Elasticsearch', () => {
  const config = testConfig();
  let cluster: Nodes;
  let a: Node;
  let b: Node;
  let c: Node;

  beforeAll(async () => {
    const openEngine = () => startEngine(config);
    cluster = await openNodes(3, { deadAfterMs: 3_000 }, [], { openEngine });
    [a, b, c] = cluster.nodes as [Node, Node, Node];
  }, 120_000);
  afterAll(async () => {
    await cluster.close();
    await discard(await startEngine(config), config);
  });

  type Witness = Awaited<ReturnType<typeof subscribe>>;
  const lines = ({ lines: read }: Witness) => read().map(({ line }) => line);
  const put = (node: Node, _id: string, body: JsonObject) =>
    node.result({ controller: 'document', action: 'createOrReplace', ...AT, _id, body });
  const by = (node: Node, query: JsonObject, fields: JsonObject = { mode: 'auto' }) =>
    subscribe(node, fields, AT, {}, { query });
  const seen = (witness: Witness, line: string) =>
    eventually(
      () => lines(witness),
      (all) => all.includes(line),
    );

  it('find fields that another node adds, and are resumed on a third one (LIVE-3, LIVE-5, LIVE-6)', async () => {
    const all = await by(a, { match_all: {} });
    const words = await by(a, { match: { 'about.text': 'mill' } });
    const raw = await by(a, { term: { 'about.text.lower': 'old mill' } });
    await put(b, 'a', { about: { text: 'An old mill' } });
    await put(c, 'b', { about: { text: 'a house', size: 1 } });
    await a.result({
      controller: 'collection',
      action: 'updateMapping',
      ...AT,
      body: {
        properties: {
          about: {
            properties: {
              text: {
                type: 'text',
                fields: {
                  keyword: { type: 'keyword', ignore_above: 256 },
                  lower: { type: 'keyword', normalizer: 'lowercase' },
                },
              },
            },
          },
        },
      },
    });
    await put(b, 'c', { about: { text: 'Old Mill' } });
    await put(b, 'd', { about: { text: 'mill', more: { size: 2 } } });
    await put(c, 'a', { about: { text: 'A house' } });
    await seen(all, 'update in a');
    expect(lines(words)).toEqual(['create in a', 'create in c', 'create in d', 'update out a']);
    expect(lines(raw)).toEqual(['create in c']);
    const { cursor } = words.answer;
    const again = await by(c, { match: { 'about.text': 'mill' } }, { cursor });
    await seen(again, 'resumed');
    expect(lines(again).filter((line) => line.endsWith(' replayed'))).toEqual(
      lines(words).map((line) => `${line} replayed`),
    );
  }, 120_000);

  it('are joined on another node, and end where a changed mapping refuses them (LIVE-3, LIVE-5)', async () => {
    const { answer, client } = await by(a, { term: { width: 'wide' } });
    const { roomId } = answer as unknown as JsonObject;
    const other = b.connect();
    const joined = await other.request({ controller: 'realtime', action: 'join', roomId });
    expect(joined.error).toBeNull();
    await c.result({
      controller: 'collection',
      action: 'updateMapping',
      ...AT,
      body: { properties: { width: { type: 'long' } } },
    });
    await put(c, 'e', { width: 3 });
    for (const each of [client, other]) {
      await eventually(
        () => each.received.map(({ message }) => message['action'] as string),
        (all) => all.includes('subscriptionEnded'),
      );
    }
  }, 120_000);
});
