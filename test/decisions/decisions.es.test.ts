import { randomBytes } from 'node:crypto';
import { afterAll, describe } from 'vitest';
import { hasElasticsearch, NODE } from '../storage/openElasticsearch.js';
import { describeDecisions } from './describeDecisions.js';

describe.skipIf(!hasElasticsearch())('on Elasticsearch', () => {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  // Registered first, it runs last.
  afterAll(async () => {
    const url = `${NODE}/_cat/indices/${prefix}*?format=json&expand_wildcards=all`;
    const listed = (await (await fetch(url)).json()) as readonly { readonly index: string }[];
    for (const { index } of listed)
      await fetch(`${NODE}/${encodeURIComponent(index)}`, { method: 'DELETE' });
  });
  // Each part has a server; they share an Elasticsearch, but neither users nor indexes.
  let parts = 0;
  describeDecisions(() => ({
    engine: 'elasticsearch',
    // Most checks wait until a write can be found.
    elasticsearch: { node: NODE, prefix: `${prefix}-${parts++}`, refreshIntervalMs: 50 },
  }));
});
