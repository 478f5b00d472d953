import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedPlugins } from '@millrace/server';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTestCommand } from '../../packages/server/src/commands/runTestCommand.test.support.js';
import { hasElasticsearch, NODE } from '../storage/openElasticsearch.js';
import { fillServer, login, PASSWORD, readServer } from './filledServer.js';

describe.skipIf(!hasElasticsearch())('export and import between engines', () => {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const elasticsearch = { engine: 'elasticsearch', elasticsearch: { node: NODE, prefix } };
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-transfer-es-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    const url = `${NODE}/_cat/indices/${prefix}*?format=json&expand_wildcards=all`;
    const listed = (await (await fetch(url)).json()) as readonly { readonly index: string }[];
    for (const { index } of listed) await fetch(`${NODE}/${encodeURIComponent(index)}`, { method: 'DELETE' });
  });

  const withServer = async <T>(
    data: string,
    storage: typeof elasticsearch | object,
    use: (server: TestKernel) => Promise<T>,
  ) => {
    const config = {
      server: { dataDir: join(folder, data) },
      storage: storage as typeof elasticsearch,
    };
    const server = await startTestKernel({ config, plugins: shippedPlugins() });
    try {
      return await use(server);
    } finally {
      await server.kernel.stop();
    }
  };
  const run = (data: string, args: readonly string[], environment: Record<string, string> = {}) =>
    runTestCommand(args, {
      folder,
      environment: { MILLRACE_SERVER_DATA_DIR: join(folder, data), ...environment },
    });
  const onElasticsearch = {
    MILLRACE_STORAGE_ENGINE: 'elasticsearch',
    MILLRACE_STORAGE_ELASTICSEARCH_NODE: NODE,
    MILLRACE_STORAGE_ELASTICSEARCH_PREFIX: prefix,
  };

  it('CLI-9 moves everything from SQLite to Elasticsearch and back', async () => {
    const before = await withServer('a', {}, async (server) => {
      await fillServer(server);
      return readServer(server);
    });
    const check = async (server: TestKernel) => {
      expect(await readServer(server)).toEqual(before);
      expect((await login(server, 'anna', PASSWORD)).status).toBe(200);
      expect((await login(server, 'chief', PASSWORD)).status).toBe(200);
    };
    expect(await run('a', ['export', 'one.ndjson'])).toMatchObject({ code: 0 });
    const there = await run('b', ['import', 'one.ndjson', '--accounts', '--stopped'], onElasticsearch);
    expect(there).toMatchObject({ code: 0, stderr: '' });
    await withServer('b', elasticsearch, check);

    const out = await run('b', ['export', 'two.ndjson', '--stopped'], onElasticsearch);
    expect(out).toMatchObject({ code: 0, stderr: '' });
    expect(await run('c', ['import', 'two.ndjson', '--accounts'])).toMatchObject({ code: 0 });
    await withServer('c', {}, check);
  });
});
