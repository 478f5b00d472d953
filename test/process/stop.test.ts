import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace, type MillraceProcess } from './runMillrace.js';

/* SIGTERM under 400 searches took 13.2 s. */

const DOCUMENTS = 60_000;
const SEARCHES = 400;
/** What the operator's guide promises; a safety net, not a measurement. */
const LIMIT_MS = 10_000;

const ON_FREE_PORT = ['--http.port', '0', '--log.level', 'error'];

async function post(url: string, body: object): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Fills a collection in which a pattern of many wildcards has to look at every value. */
async function fill(url: string): Promise<void> {
  await fetch(`${url}/load`, { method: 'PUT' });
  const put = await fetch(`${url}/load/docs`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ properties: { t: { type: 'keyword' } } }),
  });
  expect(put.status).toBe(200);
  const batch = 20_000;
  for (let n = 0; n < DOCUMENTS; n += batch) {
    const bulkData = Array.from({ length: batch }, (_, i) => [
      { create: { _id: String(n + i) } },
      { t: `${'word '.repeat(20)}${(n + i).toString(36)}` },
    ]).flat();
    expect(await post(`${url}/load/docs/_bulk`, { bulkData })).toBe(200);
  }
}

/** Sends searches that would take far longer than the limit, and waits until they run. */
async function flood(url: string): Promise<void> {
  const query = { wildcard: { t: { value: '*o*r*d*w*o*r*d*5*x*' } } };
  for (let n = 0; n < SEARCHES; n += 1) {
    // Each is another search.
    const search = { query: { bool: { must: [query], must_not: [{ term: { t: String(n) } }] } } };
    post(`${url}/load/docs/_search`, search).catch(() => undefined);
  }
  await sleep(500);
}

async function endOf({ ended }: MillraceProcess): Promise<{ code: number | null; ms: number }> {
  const startMs = performance.now();
  const code = await ended;
  return { code, ms: performance.now() - startMs };
}

describe('a process that has to stop', () => {
  it('ends within 10 s of SIGTERM while 400 searches run and wait', async () => {
    await inTemporaryFolder(async (folder) => {
      const millrace = runMillrace(folder, ON_FREE_PORT);
      const url = await millrace.listening;
      await fill(url);
      await flood(url);
      millrace.signal('SIGTERM');
      const { code, ms } = await endOf(millrace);
      expect(millrace.output()).not.toContain('terminate called');
      expect(code).toBe(0);
      expect(ms).toBeLessThan(LIMIT_MS);
    });
  });

  it('ends at once on a second signal', async () => {
    const script = fileURLToPath(new URL('hangingStop.mjs', import.meta.url));
    await inTemporaryFolder(async (folder) => {
      const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] }); // prettier-ignore
      await once(child.stdout, 'data');
      child.kill('SIGTERM');
      await sleep(500);
      expect([child.exitCode, child.signalCode]).toEqual([null, null]);
      child.kill('SIGTERM');
      expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
    });
  });
});
