import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@millrace/kernel';
import { shippedPlugins } from '@millrace/server';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BIN, runMillrace } from '../process/runMillrace.js';
import { hasElasticsearch, NODE } from '../storage/openElasticsearch.js';
import {
  annaEnters,
  execute,
  fillMany,
  readDefinitions,
  readDigest,
  readDigests,
  SetDigest,
  type ManyDocuments,
} from './manyDocuments.js';

/** MILLRACE_TEST_DOCUMENTS=300000 for a long run. */
const DOCUMENTS = Number(process.env['MILLRACE_TEST_DOCUMENTS'] ?? 20_000);
const KILLS = DOCUMENTS > 100_000 ? 10 : 4;
const MiB = 1024 * 1024;
const MAX_MEMORY = 500 * MiB;
const CSV_BYTES = (DOCUMENTS > 100_000 ? 64 : 8) * MiB;

describe('export and import of many documents', () => {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const elasticsearch = { engine: 'elasticsearch', elasticsearch: { node: NODE, prefix } } as const;
  const onElasticsearch = {
    MILLRACE_STORAGE_ENGINE: 'elasticsearch',
    MILLRACE_STORAGE_ELASTICSEARCH_NODE: NODE,
    MILLRACE_STORAGE_ELASTICSEARCH_PREFIX: prefix,
  };
  let folder = '';
  let filled: ManyDocuments;
  let definitions: unknown;

  const withServer = async <T>(data: string, storage: JsonObject, use: (server: TestKernel) => Promise<T>) => {
    const config = { server: { dataDir: join(folder, data) }, storage };
    const server = await startTestKernel({ config, plugins: shippedPlugins() });
    try {
      return await use(server);
    } finally {
      await server.kernel.stop();
    }
  };

  /** @param killAfterMs kills the process where it still runs */
  const run = async (
    data: string,
    args: readonly string[],
    more: Record<string, string> = {},
    killAfterMs?: number,
  ) => {
    const environment = { MILLRACE_SERVER_DATA_DIR: join(folder, data), ...more };
    const started = performance.now();
    const child = runMillrace(folder, args, environment);
    child.listening.catch(() => undefined);
    let peak = 0;
    const timer = setInterval(() => {
      void peakMemory(child.pid).then((bytes) => (peak = Math.max(peak, bytes)));
    }, 100);
    const killer = killAfterMs === undefined ? undefined : setTimeout(() => child.signal('SIGKILL'), killAfterMs);
    const code = await child.ended;
    clearInterval(timer);
    clearTimeout(killer);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${args.join(' ')}: ${code}, ${seconds} s, ${(peak / MiB).toFixed(0)} MiB at most`);
    return { code, output: child.output(), peak };
  };

  const check = (data: string, storage: JsonObject) =>
    withServer(data, storage, async (server) => {
      expect(await readDigests(server)).toEqual(filled.digests);
      expect(await readDefinitions(server)).toEqual(definitions);
      expect(await annaEnters(server, filled.apiKey)).toEqual([true, true]);
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-transfer-scale-'));
    await withServer('a', {}, async (server) => {
      filled = await fillMany(server, DOCUMENTS);
      definitions = await readDefinitions(server);
    });
    console.log('filled', filled.digests);
    const { code, peak } = await run('a', ['export', 'one.ndjson']);
    expect(code).toBe(0);
    expect(peak).toBeLessThan(MAX_MEMORY);
  }, 1_200_000);
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    if (NODE === '') return;
    const url = `${NODE}/_cat/indices/${prefix}*?format=json&expand_wildcards=all`;
    const listed = (await (await fetch(url)).json()) as readonly { readonly index: string }[];
    for (const { index } of listed) await fetch(`${NODE}/${encodeURIComponent(index)}`, { method: 'DELETE' });
  });

  it('CLI-9 moves them from one embedded engine to another in bounded memory', async () => {
    const { code, peak } = await run('b', ['import', 'one.ndjson', '--accounts']);
    expect(code).toBe(0);
    expect(peak).toBeLessThan(MAX_MEMORY);
    await check('b', {});
  }, 1_200_000);

  it('CLI-11 goes on after kill -9 at random moments', async () => {
    for (let kill = 0; kill < KILLS; kill++)
      await run('c', ['import', 'one.ndjson', '--accounts'], {}, 900 + Math.random() * 1_500);
    expect((await run('c', ['import', 'one.ndjson', '--accounts'])).code).toBe(0);
    await check('c', {});
  }, 1_200_000);

  it('CLI-11 writes an export whose process was killed from its beginning', async () => {
    for (let kill = 0; kill < 3; kill++)
      await run('a', ['export', 'two.ndjson'], {}, 700 + Math.random() * (DOCUMENTS / 100));
    await run('a', ['export', 'two.ndjson']);
    const [one, two] = await Promise.all(['one', 'two'].map((name) => readFile(join(folder, `${name}.ndjson`))));
    const withoutTime = (text = Buffer.alloc(0)) => text.subarray(text.indexOf('\n'));
    expect(withoutTime(two).equals(withoutTime(one))).toBe(true);
  }, 1_200_000);

  it('CLI-12 reads and writes a large CSV in bounded memory', async () => {
    const digest = new SetDigest();
    const properties = {
      n: { type: 'integer' },
      is: { type: 'boolean' },
      deep: { properties: { er: { type: 'keyword' } } },
    };
    const open = (server: TestKernel) =>
      execute(server, 'collection', 'create', { index: 'shop', collection: 'rows', body: { properties } });
    await withServer('g', {}, open);
    await withServer('h', {}, open);
    const rows = function* () {
      yield '_id,n,is,deep.er,note\r\n';
      for (let n = 0, bytes = 0; bytes < CSV_BYTES; n++) {
        const note = `a "quoted", note\nof ${n} ü 🙂 ${'x'.repeat(n % 200)}`;
        digest.add(`r${n}`, { n, is: n % 2 === 0, deep: { er: `0${n}` }, note });
        const row = `r${n},${n},${n % 2 === 0},0${n},"${note.replaceAll('"', '""')}"\r\n`;
        bytes += Buffer.byteLength(row);
        yield row;
      }
    };
    await writeFile(join(folder, 'in.csv'), rows());
    const place = ['--index', 'shop', '--collection', 'rows', '--format', 'csv'];
    for (const [data, file] of [
      ['g', 'in.csv'],
      ['h', 'out.csv'],
    ] as const) {
      // prettier-ignore
      const { code, peak } = await run(data, ['import', file, ...place]);
      expect(code).toBe(0);
      expect(peak).toBeLessThan(MAX_MEMORY);
      expect(await withServer(data, {}, (server) => readDigest(server, 'rows'))).toBe(digest.toString());
      expect((await run(data, ['export', 'out.csv', ...place])).code).toBe(data === 'g' ? 0 : 1);
    }
  }, 1_200_000);

  it('shows its progress on a terminal', async () => {
    const onTerminal = async (args: string) => {
      const command = `${process.execPath} ${BIN} ${args}`;
      const env = { ...process.env, MILLRACE_SERVER_DATA_DIR: join(folder, 'a') };
      // `script` gives a command a terminal.
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        cwd: folder,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await once(child, 'close');
      return output;
    };
    expect(await onTerminal('export three.ndjson')).toMatch(/\[=+ *\] \d+% of shop\/\S+, \d+ documents/);
    expect(await onTerminal('import three.ndjson --accounts')).toMatch(/\[=+ *\] \d+% \d+ documents/);
  }, 600_000);

  it.skipIf(!hasElasticsearch())(
    'CLI-9 moves them to Elasticsearch and back',
    async () => {
      const there = await run('e', ['import', 'one.ndjson', '--accounts', '--stopped'], onElasticsearch);
      expect(there.code).toBe(0);
      await check('e', elasticsearch);
      const out = await run('e', ['export', 'es.ndjson', '--stopped'], onElasticsearch);
      expect(out.code).toBe(0);
      expect((await run('f', ['import', 'es.ndjson', '--accounts'])).code).toBe(0);
      await check('f', {});
    },
    1_200_000,
  );
});

async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
