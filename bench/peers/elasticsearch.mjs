import { Client } from '@elastic/elasticsearch';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PORT = '9220';

/**
 * A server to measure against: the one that MILLRACE_TEST_ELASTICSEARCH names, else one that the scripts `start` and
 * `stop` in the folder MILLRACE_ELASTICSEARCH_TOOL start and end, with the full compiler and 2 GB of heap.
 * @returns undefined where there is neither
 */
export async function openElasticsearch() {
  const node = process.env.MILLRACE_TEST_ELASTICSEARCH;
  if (node) return connect(node, () => undefined);
  const tool = process.env.MILLRACE_ELASTICSEARCH_TOOL;
  if (!tool) return undefined;
  // Under /var/tmp: the server runs as another user, who may not read the temporary folder of this one.
  const data = mkdtempSync('/var/tmp/millrace-bench-elasticsearch-');
  chmodSync(data, 0o755);
  const env = {
    ...process.env,
    ES_JIT: 'full',
    ES_HEAP: '2g',
    ES_PORT: PORT,
    ES_DATA: data,
  };
  execFileSync(join(tool, 'start'), { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return connect(`http://127.0.0.1:${PORT}`, () => {
    execFileSync(join(tool, 'stop'), { env, stdio: 'ignore' });
    rmSync(data, { recursive: true, force: true });
  });
}

async function connect(node, stop) {
  const client = new Client({ node, requestTimeout: 300_000 });
  try {
    await client.info();
  } catch (error) {
    console.error(`No Elasticsearch at ${node}: ${error.message}`);
    stop();
    return undefined;
  }
  return {
    client,
    close: async () => {
      await client.close();
      stop();
    },
  };
}
