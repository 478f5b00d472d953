import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { backUp, openServer } from '../backup/openServer.js';
import { inTemporaryFolder, runMillrace } from '../process/runMillrace.js';

/** As in `killedBackups.test.ts`. */
const KILLS = Number(process.env['MILLRACE_TEST_KILLS'] ?? 5);
const LONG_MS = 120_000 + KILLS * 20_000;

const NAME = { index: 'shop', collection: 'things' };
const DOCUMENTS = 10_000;

describe('a restore that is killed', () => {
  it('leaves no data folder, or a complete one (BACKUP-10)', { timeout: LONG_MS }, async () => {
    await inTemporaryFolder(async (folder) => {
      await fill(join(folder, 'data'));
      const restore = () => runMillrace(folder, ['restore', 'data/backups', '--dataDir', 'restored']);
      const restored = join(folder, 'restored');
      const began = performance.now();
      expect(await restore().ended).toBe(0);
      const restoreMs = performance.now() - began;
      let interrupted = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        rmSync(restored, { recursive: true, force: true });
        const killed = restore();
        await pause(Math.random() * restoreMs);
        killed.signal('SIGKILL');
        await killed.ended;
        if (!existsSync(join(restored, 'millrace.db'))) {
          interrupted++;
          // The same command begins again.
          const again = restore();
          expect(await again.ended, again.output()).toBe(0);
        }
        const server = await openServer(restored);
        const count = { controller: 'document', action: 'count', ...NAME };
        expect(await server.ask(count)).toEqual({ count: DOCUMENTS });
        await server.kernel.stop();
      }
      expect(interrupted).toBeGreaterThan(0);
    });
  });
});

async function fill(dataDir: string): Promise<void> {
  const server = await openServer(dataDir);
  await server.ask({ controller: 'index', action: 'create', index: NAME.index });
  const body = { documents: Array.from({ length: 500 }, (_, n) => ({ body: { n, text: 'x'.repeat(400) } })) };
  for (let n = 0; n < DOCUMENTS; n += 500)
    await server.ask({ controller: 'document', action: 'mCreate', ...NAME, body });
  await server.ask({ controller: 'ms', action: 'set', _id: 'key', body: { value: 'kept' } });
  expect(await backUp(server)).toMatchObject({ state: 'complete' });
  await server.kernel.stop();
}
