import * as vitest from 'vitest';
import { describeStorageEngine } from '@millrace/testing';
import { discard, hasElasticsearch, startEngine, testConfig } from './openElasticsearch.js';

vitest.describe.skipIf(!hasElasticsearch())('on a server', () => {
  describeStorageEngine(
    'ElasticsearchEngine',
    async () => {
      const config = testConfig();
      let engine = await startEngine(config);
      return {
        engine,
        reopen: async () => {
          await engine.stop();
          engine = await startEngine(config);
          return engine;
        },
        close: () => discard(engine, config),
      };
    },
    vitest,
  );
});
