import { randomBytes } from 'node:crypto';
import { silentLogger, type StorageEngine } from '@millrace/kernel';
import { elasticsearchConfig } from '@millrace/server';
import { createElasticsearchEngine, type ElasticsearchConfig } from '@millrace/storage-elasticsearch';

/** Address of the server for tests; empty where there is none. */
export const NODE = process.env['MILLRACE_TEST_ELASTICSEARCH'] ?? '';

/** Addresses of all servers for tests: `MILLRACE_TEST_ELASTICSEARCH_9` may name one of version 9 (test/elasticsearch/server9). */
export const NODES = [NODE, process.env['MILLRACE_TEST_ELASTICSEARCH_9'] ?? ''].filter((node) => node !== '');

/** Says so where tests are left out, or fails where they must not be. @returns whether to run them */
export function hasElasticsearch(): boolean {
  if (NODE !== '') return true;
  if (process.env['MILLRACE_TEST_REQUIRE'] === '1') {
    throw new Error('MILLRACE_TEST_REQUIRE=1, but MILLRACE_TEST_ELASTICSEARCH names no server');
  }
  console.log('Elasticsearch tests are skipped: set MILLRACE_TEST_ELASTICSEARCH to the address of a server');
  return false;
}

/** The defaults with some changed values. */
export function testConfig(values: Partial<ElasticsearchConfig> = {}): ElasticsearchConfig {
  const defaults = Object.entries(elasticsearchConfig).map(([key, entry]) => [
    key,
    (entry as { readonly default: unknown }).default,
  ]);
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  return {
    ...(Object.fromEntries(defaults) as ElasticsearchConfig),
    node: NODE,
    prefix,
    ...values,
  };
}

/** A started engine. */
export async function startEngine(config: ElasticsearchConfig): Promise<StorageEngine> {
  const engine = await createElasticsearchEngine({ config, logger: silentLogger });
  await engine.start();
  return engine;
}

/** Stops the engine and takes everything of its prefix off the server. */
export async function discard(engine: StorageEngine, { node, prefix }: ElasticsearchConfig): Promise<void> {
  for (const index of await engine.listIndexes()) await engine.deleteIndex(index);
  await engine.stop();
  await fetch(`${node}/${prefix}~~catalog`, { method: 'DELETE' });
}

/** Removes what a server has left in Elasticsearch, by name: Elasticsearch refuses patterns. */
export async function removeIndexes(prefix: string): Promise<void> {
  const response = await fetch(`${NODE}/_cat/indices/${prefix}~*?format=json&h=index`);
  for (const { index } of (await response.json()) as { index: string }[])
    await fetch(`${NODE}/${encodeURIComponent(index)}`, { method: 'DELETE' });
}
