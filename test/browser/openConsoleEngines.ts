import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@millrace/kernel';
import { freePort, startRedis } from '../memory/startRedis.js';
import { NODE, removeIndexes } from '../storage/openElasticsearch.js';

/** The engines of a server whose console is tested. */
export interface ConsoleEngines {
  /** Keys of the configuration; none for the embedded engines. */
  readonly config: JsonObject;
  /** After the stop of the server: removes what is left in them. */
  close(): Promise<void>;
}

export type EngineName = 'embedded' | 'elasticsearch';

/** Where MILLRACE_TEST_ELASTICSEARCH is set, Elasticsearch with Redis too. */
export const CONSOLE_ENGINES: readonly EngineName[] = NODE === '' ? ['embedded'] : ['embedded', 'elasticsearch'];

export async function openConsoleEngines(engine: EngineName): Promise<ConsoleEngines> {
  if (engine === 'embedded') return { config: {}, close: async () => undefined };
  const redis = await startRedis(await freePort());
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  return {
    config: {
      storage: { engine: 'elasticsearch', elasticsearch: { node: NODE, prefix } },
      memoryStore: { engine: 'redis', redis: { url: redis.url } },
    },
    close: async () => {
      await redis.close();
      await removeIndexes(prefix);
    },
  };
}
