import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis } from '../memory/startRedis.js';
import { discard, hasElasticsearch, startEngine, testConfig } from '../storage/openElasticsearch.js';
import { eventually, openNodes, type Node, type Nodes } from './openNodes.js';
import { AT } from './subscribeOn.js';

/** More writes than one search after each could miss by luck. */
const ROUNDS = 5;

describe.skipIf(!hasRedis() || !hasElasticsearch())('followed searches on two nodes with Elasticsearch', () => {
  const config = testConfig();
  let cluster: Nodes;

  beforeAll(async () => {
    cluster = await openNodes(2, {}, [], { openEngine: () => startEngine(config) });
  }, 120_000);
  afterAll(async () => {
    await cluster.close();
    await discard(await startEngine(config), config);
  });

  it('show the last write, although Elasticsearch shows writes late (FOLLOW-2)', async () => {
    const [a, b] = cluster.nodes as [Node, Node];
    await a.result({ controller: 'index', action: 'create', index: AT.index });
    await a.result({ controller: 'collection', action: 'create', ...AT });
    const client = a.connect();
    const answer = await client.request({ controller: 'realtime', action: 'follow', ...AT, body: { size: 0 } });
    expect(answer).toMatchObject({ status: 200, result: { mode: 'rerun', total: 0 } });
    const lastTotal = () => {
      const totals = client.received.map(({ message }) => message.result.total);
      return totals.findLast((total) => total !== undefined);
    };
    for (let n = 1; n <= ROUNDS; n++) {
      await b.result({ controller: 'document', action: 'create', ...AT, _id: `d${n}`, body: { n } });
      await eventually(lastTotal, (total) => total === n);
    }
    client.close();
  }, 120_000);
});
