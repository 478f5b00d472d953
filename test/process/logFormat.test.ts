import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runMillrace } from './runMillrace.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** All that a server writes from its start to its stop. */
async function outputOf(...args: readonly string[]): Promise<string> {
  const server = runMillrace(folder, ['--http.port', '0', ...args]);
  await server.listening;
  server.signal('SIGTERM');
  expect(await server.ended).toBe(0);
  return server.output();
}

it('is JSON where standard error is no terminal, with a line at the start and at the stop', async () => {
  const lines = (await outputOf()).split('\n').filter((line) => line.startsWith('{'));
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const about = { version: '0.1.0', storage: 'sqlite', memoryStore: 'embedded', dataDir: join(folder, 'data') };
  const started = parsed.find(({ msg }) => msg === 'started');
  expect(started).toMatchObject({ ...about, level: 30, node: process.version });
  expect(started?.['urls']).toHaveLength(4);
  expect(parsed.at(-1)).toMatchObject({ ...about, msg: 'stopped' });
});

it('is text for people where that is configured, with the call that creates the administrator', async () => {
  const output = await outputOf('--log.format', 'text');
  expect(output).not.toMatch(/^\{/m);
  const what = `storage sqlite, memory store embedded, data in ${join(folder, 'data')}`;
  expect(output).toContain(`info  Millrace 0.1.0 started: ${what}`);
  expect(output).toContain(`info  Millrace 0.1.0 stopped: ${what}`);
  const url = /listens on (\S+) \(http\)/.exec(output)?.[1] ?? 'none';
  expect(output).toContain(`curl -X POST ${url}/_createFirstAdmin -H 'Content-Type: application/json'`);
});
