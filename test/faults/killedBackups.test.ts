import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace } from '../process/runMillrace.js';

/** Few in this suite: with MILLRACE_TEST_KILLS=100 the moments cover a backup densely. */
const KILLS = Number(process.env['MILLRACE_TEST_KILLS'] ?? 5);

const HEADERS = { 'content-type': 'application/json' };

async function call(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, {
    method,
    ...(body === undefined ? undefined : { headers: HEADERS, body: JSON.stringify(body) }),
  });
  const { result, error } = (await answer.json()) as { result: unknown; error: unknown };
  if (!answer.ok) throw new Error(JSON.stringify(error));
  return result;
}

async function write(url: string, count: number): Promise<void> {
  const documents = Array.from({ length: count }, () => ({ body: { text: 'x'.repeat(400) } }));
  await call(url, 'POST', '/shop/things/_mCreate', { documents });
}

/** Of a test with this many starts. */
const LONG_MS = 120_000 + KILLS * 20_000;

describe('a server that is killed while it makes a backup', () => {
  it('starts again with all documents, and lists complete backups only (BACKUP-3)', { timeout: LONG_MS }, async () => {
    await inTemporaryFolder(async (folder) => {
      let documents = 0;
      for (let kill = 0; kill <= KILLS; kill++) {
        const millrace = runMillrace(folder, ['--http.port', '0']);
        const url = await millrace.listening;
        if (kill === 0) {
          await call(url, 'PUT', '/shop');
          await call(url, 'PUT', '/shop/things', {});
          for (let n = 0; n < 20; n++) await write(url, 500);
          documents = 10_000;
        }
        expect(await call(url, 'POST', '/shop/things/_count', {})).toEqual({ count: documents });
        const { hits } = (await call(url, 'GET', '/_backups')) as {
          hits: readonly { name: string; state: string; documents: number }[];
        };
        for (const backup of hits) {
          expect(backup).toMatchObject({ state: 'complete' });
          expect(backup.documents).toBeGreaterThanOrEqual(10_000);
        }
        // Interrupted backups are gone.
        const listed = hits.map(({ name }) => name).sort();
        const backups = join(folder, 'data', 'backups');
        expect(existsSync(backups) ? readdirSync(backups).sort() : []).toEqual(listed);
        await write(url, 1);
        documents += 1;
        await call(url, 'POST', '/_backup', {});
        await pause(Math.random() * 400);
        millrace.signal('SIGKILL');
        await millrace.ended;
      }
    });
  });
});
