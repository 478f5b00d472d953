import { describe } from 'vitest';
import { hasElasticsearch, testConfig } from '../storage/openElasticsearch.js';
import { describeDocumentPipes } from './describeDocumentPipes.js';

describe.skipIf(!hasElasticsearch())('on Elasticsearch', () => {
  const { node, prefix } = testConfig();
  const config = { storage: { engine: 'elasticsearch', elasticsearch: { node, prefix } } };
  describeDocumentPipes({ index: 'piped', config });
});
