import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { restoreBackup } from '@millrace/server';
import { inFolder, listBackups, openServer } from './openServer.js';
import { CONTINUOUS, pointInTime } from './pointInTime.js';

describe('backup.continuous', () => {
  it('restores any moment since the first backup (BACKUP-8)', async () => {
    await inFolder((folder) => pointInTime(folder, 23, 5));
  });

  it('restores users as they were (BACKUP-8)', async () => {
    await inFolder(async (folder) => {
      const dataDir = join(folder, 'data');
      const server = await openServer(dataDir, CONTINUOUS);
      await expect.poll(async () => (await listBackups(server)).map(({ state }) => state)).toEqual(['complete']);
      const before = Date.now();
      const create = { controller: 'security', action: 'createUser', _id: 'bob' };
      const body = { profileIds: ['default'], password: 'a long password' };
      await server.ask({ ...create, body });
      await server.kernel.stop();
      const source = join(dataDir, 'backups');
      const [then, later] = [join(folder, 'then'), join(folder, 'later')];
      await restoreBackup({ source, dataDir: then, until: { timeMs: before } });
      await restoreBackup({ source, dataDir: later, until: { timeMs: Date.now() } });
      const get = { controller: 'security', action: 'getUser', _id: 'bob' };
      const first = await openServer(then);
      await expect(first.ask(get)).rejects.toMatchObject({ id: 'security.user_not_found' });
      await first.kernel.stop();
      const second = await openServer(later);
      expect(await second.ask(get)).toMatchObject({ _id: 'bob' });
      await second.kernel.stop();
    });
  });

  it('makes another backup where changes were not recorded, and refuses moments in between (BACKUP-9)', async () => {
    await inFolder(async (folder) => {
      const dataDir = join(folder, 'data');
      const run = async (config: JsonObject, collection: string, backups: number) => {
        const server = await openServer(dataDir, config);
        if (collection === 'first') await server.ask({ controller: 'index', action: 'create', index: 'i' });
        await server.ask({ controller: 'collection', action: 'create', index: 'i', collection });
        const states = async () => (await listBackups(server)).map(({ state }) => state);
        await expect.poll(states).toEqual(new Array(backups).fill('complete'));
        await server.kernel.stop();
      };
      await run(CONTINUOUS, 'first', 1);
      // Nothing says what is written to a collection that this run creates.
      await run({}, 'unrecorded', 1);
      const moment = Date.now();
      await run(CONTINUOUS, 'last', 2);
      const source = join(dataDir, 'backups');
      const restore = restoreBackup({ source, dataDir: join(folder, 'x'), until: { timeMs: moment } });
      await expect(restore).rejects.toThrow(/the changes between positions \d+ and \d+ .* are missing/);
      const early = restoreBackup({ source, dataDir: join(folder, 'x'), until: { timeMs: 0 } });
      await expect(early).rejects.toThrow(/no backup in .* was made before this moment/);
    });
  });

  it.each([
    [{ backup: { continuous: true } }, /backup.continuous: it needs backup.schedule/],
    [{ backup: CONTINUOUS['backup'] }, /realtime.history.collections to be "all"/],
    [
      { backup: CONTINUOUS['backup'], realtime: { history: { collections: 'all', maxAgeMs: 60_000 } } },
      /maxAgeMs to be at least 300000/,
    ],
    [{ backup: { schedule: '* * *' } }, /backup.schedule: must be a cron pattern of five fields/],
  ])('refuses the start with %j (BACKUP-8)', async (config, problem) => {
    await inFolder(async (folder) => {
      await expect(openServer(folder, config as never)).rejects.toThrow(problem);
    });
  });
});
