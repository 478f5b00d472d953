import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasElasticsearch, NODE, removeIndexes } from '../storage/openElasticsearch.js';
import { inTemporaryFolder, runMillrace } from './runMillrace.js';

const BIN = join(import.meta.dirname, '../../packages/server/bin/millrace.js');

async function millrace(folder: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: folder });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

describe.runIf(hasElasticsearch())('millrace move', () => {
  it('MOVE-1, MOVE-3: moves a running server there and back, shows progress, and exits with 1 on a failure', () =>
    inTemporaryFolder(async (folder) => {
      const prefix = `test-${randomBytes(6).toString('hex')}`;
      const elasticsearch = '--storage.elasticsearch';
      const place = [`${elasticsearch}.node`, NODE, `${elasticsearch}.prefix`, prefix];
      const server = runMillrace(folder, ['--http.port', '0', ...place]);
      try {
        const url = await server.listening;
        const headers = { 'content-type': 'application/json' };
        await fetch(`${url}/shop`, { method: 'PUT' });
        await fetch(`${url}/shop/things/one`, { method: 'PUT', headers, body: '{"n":1}' });
        const move = (...args: readonly string[]) => millrace(folder, 'move', '--url', url, ...args);
        expect(await move('--to', 'mars')).toMatchObject({ code: 2 });
        expect((await move('--status')).stdout).toContain('The documents are in sqlite. No move');
        const tried = await move('--to', 'elasticsearch', '--verifyOnly');
        expect(tried.stdout).toMatch(/documents are equal \(checksum \w{8}\)\. The documents are in sqlite/);
        const moved = await move('--to', 'elasticsearch', '--node', NODE);
        expect(moved).toMatchObject({ code: 0, stderr: '' });
        expect(moved.stdout).toContain('The documents are in elasticsearch. Writes waited for');
        const found = await fetch(`${url}/shop/things/one`);
        expect(await found.json()).toMatchObject({ result: { _version: 1, _source: { n: 1 } } });
        const back = await move('--to', 'sqlite', '--json');
        expect(JSON.parse(back.stdout)).toMatchObject({ engine: 'sqlite', state: 'complete' });
        const cancelled = await move('--cancel');
        expect(cancelled).toMatchObject({ code: 1 });
        expect(cancelled.stderr).toContain('none is running');
        const refused = await move('--to', 'sqlite');
        expect(refused).toMatchObject({ code: 1 });
        expect(refused.stderr).toContain('already');
        const away = await move('--to', 'elasticsearch', '--node', 'http://127.0.0.1:1');
        expect(away).toMatchObject({ code: 1 });
        expect(away.stderr).toContain('storage.elasticsearch.node');
      } finally {
        server.signal('SIGTERM');
        await server.ended;
        await removeIndexes(prefix);
      }
    }));
});
