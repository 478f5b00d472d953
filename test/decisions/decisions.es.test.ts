import { randomBytes } from 'node:crypto';
import { afterAll, describe } from 'vitest';
import { hasElasticsearch, NODE } from '../storage/openElasticsearch.js';
import { describeDecisions } from './describeDecisions.js';

describe.skipIf(!hasElasticsearch())('on Elasticsearch', () => {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const discard = async () => {
    const url = `${NODE}/_cat/indices/${prefix}*?format=json&expand_wildcards=all`;
    const listed = (await (await fetch(url)).json()) as readonly { readonly index: string }[];
    for (const { index } of listed) await fetch(`${NODE}/${encodeURIComponent(index)}`, { method: 'DELETE' });
  };
  // Registered first, it runs last.
  afterAll(discard);
  // One Millrace after the other: each starts on a separate store, without what the one before has left.
  let servers = 0;
  describeDecisions(async () => {
    await discard();
    return {
      engine: 'elasticsearch',
      // Most checks wait until a write can be found.
      elasticsearch: { node: NODE, prefix: `${prefix}-${servers++}`, refreshIntervalMs: 50 },
    };
  });
});
