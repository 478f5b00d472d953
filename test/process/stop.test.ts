import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace } from './runMillrace.js';

/* SIGTERM under 400 searches took 13.2 s. */

const DOCUMENTS = 60_000;
const SEARCHES = 400;

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

/** Sends searches and waits until the first is answered. @returns how many have been answered so far */
async function flood(url: string): Promise<() => number> {
  let answeredCount = 0;
  const query = { wildcard: { t: { value: '*o*r*d*w*o*r*d*5*x*' } } };
  for (let n = 0; n < SEARCHES; n += 1) {
    // Each is another search.
    const search = { query: { bool: { must: [query], must_not: [{ term: { t: String(n) } }] } } };
    post(`${url}/load/docs/_search`, search).then(
      (status) => {
        if (status === 200) answeredCount += 1;
      },
      () => undefined,
    );
  }
  await expect.poll(() => answeredCount, { interval: 1 }).toBeGreaterThan(0);
  return () => answeredCount;
}

describe('a process that has to stop', () => {
  it('ends on SIGTERM without completing 400 searches that run and wait', async () => {
    await inTemporaryFolder(async (folder) => {
      const millrace = runMillrace(folder, ON_FREE_PORT);
      const url = await millrace.listening;
      await fill(url);
      const answeredCount = await flood(url);
      millrace.signal('SIGTERM');
      expect(await millrace.ended).toBe(0);
      expect(millrace.output()).not.toContain('terminate called');
      expect(answeredCount()).toBeLessThan(SEARCHES / 2);
    });
  });

  it('ends at once on a second signal', async () => {
    const script = fileURLToPath(new URL('hangingStop.mjs', import.meta.url));
    await inTemporaryFolder(async (folder) => {
      const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.on('data', (data: Buffer) => (output += data.toString()));
      await once(child.stdout, 'data');
      child.kill('SIGTERM');
      await expect.poll(() => output).toContain('asked to stop');
      expect([child.exitCode, child.signalCode]).toEqual([null, null]);
      const exit = once(child, 'exit');
      // A repetition within 250 ms counts as the same signal.
      const again = setInterval(() => child.kill('SIGTERM'), 300);
      expect(await exit).toEqual([null, 'SIGTERM']);
      clearInterval(again);
    });
  });
});
