import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/kernel';
import { restoreBackup } from '@millrace/server';
import { Chance } from '../differential/Chance.js';
import { randomDocument } from '../differential/randomDocuments.js';
import { randomMapping } from '../differential/randomMapping.js';
import { randomSearch } from '../differential/randomSearch.js';
import { backUp, inFolder, listBackups, openServer, type OpenServer } from './openServer.js';

const NAME = { index: 'shop', collection: 'things' };

async function fill(server: OpenServer, seed: number): Promise<readonly JsonObject[]> {
  const chance = new Chance(seed, 1, 1);
  const mapping = randomMapping(chance);
  await server.ask({ controller: 'index', action: 'create', index: NAME.index });
  await server.ask({ controller: 'collection', action: 'create', ...NAME, body: mapping.body });
  for (let n = 0; n < 60; n++) {
    const body = randomDocument(mapping, chance, 8);
    // The engine may refuse a random document: the others are enough.
    await server.ask({ controller: 'document', action: 'create', ...NAME, _id: `d${n}`, body }).catch(() => undefined);
  }
  return Array.from({ length: 60 }, () => randomSearch(mapping, chance));
}

/** The answers, or the ids of the errors, without what differs between any two calls. */
async function answersOf(server: OpenServer, searches: readonly JsonObject[]) {
  const answers = [];
  for (const body of searches) {
    const found = server.ask({ controller: 'document', action: 'search', ...NAME, body });
    const answer = await found.catch((error: { id: string }) => error.id);
    answers.push(typeof answer === 'string' ? answer : { ...answer, took: 0 });
  }
  return answers;
}

describe('a backup', () => {
  it('restored into an empty folder, answers searches and the memory store as before (BACKUP-1)', async () => {
    await inFolder(async (folder) => {
      const first = await openServer(join(folder, 'data'));
      const searches = await fill(first, 20_261_123);
      const before = await answersOf(first, searches);
      expect(before.filter((each) => typeof each !== 'string').length).toBeGreaterThan(30);
      await first.ask({ controller: 'ms', action: 'set', _id: 'key', body: { value: 'kept' } });
      const made = await backUp(first, 'before the upgrade');
      await first.kernel.stop();
      expect(made).toMatchObject({ state: 'complete', note: 'before the upgrade' });

      const source = join(folder, 'data', 'backups', made.name);
      const { manifest } = await restoreBackup({ source, dataDir: join(folder, 'restored') });
      const shop = manifest.collections.find(({ index }) => index === 'shop');
      expect(shop?.documents).toBeGreaterThan(30);
      const second = await openServer(join(folder, 'restored'));
      expect(await answersOf(second, searches)).toEqual(before);
      const value = await second.kernel.execute({ controller: 'ms', action: 'get', _id: 'key' });
      expect(value.result).toBe('kept');
      await second.kernel.stop();
    });
  });

  it('under writes holds every write acknowledged before it, and a prefix of the others (BACKUP-1)', async () => {
    await inFolder(async (folder) => {
      const server = await openServer(join(folder, 'data'));
      await server.ask({ controller: 'index', action: 'create', index: NAME.index });
      let count = 0;
      let isWriting = true;
      const writing = (async () => {
        for (; isWriting; count++) {
          const body = { n: count };
          const call = { controller: 'document', action: 'create', ...NAME, _id: `d${count}` };
          await server.ask({ ...call, body });
        }
      })();
      await expect.poll(() => count).toBeGreaterThan(100);
      const before = count;
      const { name, documents } = await backUp(server);
      isWriting = false;
      await writing;
      await server.kernel.stop();
      expect(documents).toBeGreaterThan(before);
      const dataDir = join(folder, 'restored');
      await restoreBackup({ source: join(folder, 'data', 'backups', name), dataDir });
      const restored = await openServer(dataDir);
      const body = { size: 0, aggs: { last: { max: { field: 'n' } } } };
      const search = { controller: 'document', action: 'search', ...NAME, body };
      const { total, aggregations } = await restored.ask(search);
      expect(total).toBeGreaterThanOrEqual(before);
      expect(aggregations).toMatchObject({ last: { value: Number(total) - 1 } });
      await restored.kernel.stop();
    });
  });

  it('is one at a time, and is listed with its progress (BACKUP-2)', async () => {
    await inFolder(async (folder) => {
      const server = await openServer(join(folder, 'data'));
      const begun = await server.ask({ controller: 'server', action: 'backup' });
      expect(begun).toMatchObject({ state: 'running', bytes: 0 });
      const again = server.ask({ controller: 'server', action: 'backup' });
      await expect(again).rejects.toMatchObject({ status: 409, id: 'core.backup_running' });
      expect(await listBackups(server)).toMatchObject([{ name: begun['name'], state: 'running' }]);
      // The stop waits for it.
      await server.kernel.stop();
      expect(readdirSync(join(folder, 'data', 'backups'))).toEqual([begun['name']]);
    });
  });

  it('a failed backup is reported, leaves nothing, and shows in the health until another succeeds (BACKUP-4)', async () => {
    await inFolder(async (folder) => {
      const directory = join(folder, 'backups');
      const server = await openServer(join(folder, 'data'), { backup: { directory } });
      writeFileSync(directory, 'a file in the way');
      const failed = await backUp(server);
      expect(failed.state).toBe('failed');
      expect(failed.reason).toContain(`"${directory}" is not a folder`);
      const health = await server.ask({ controller: 'server', action: 'healthCheck' });
      expect(health).toMatchObject({ warnings: ['the last backup failed'] });
      rmSync(directory);
      await backUp(server);
      const later = await server.ask({ controller: 'server', action: 'healthCheck' });
      expect(later).not.toHaveProperty('warnings');
      await server.kernel.stop();
    });
  });

  it('shows its age in health and metrics (BACKUP-6)', async () => {
    await inFolder(async (folder) => {
      const server = await openServer(join(folder, 'data'));
      const health = () => server.ask({ controller: 'server', action: 'healthCheck' });
      expect(await health()).not.toHaveProperty('backup');
      await backUp(server);
      expect(await health()).toMatchObject({
        backup: { ageSeconds: expect.any(Number) as number },
      });
      await server.kernel.stop();
      const again = await openServer(join(folder, 'data'));
      const metrics = await again.kernel.execute({ controller: 'server', action: 'metrics' });
      expect(JSON.stringify(metrics.result)).toMatch(/millrace_backup_age_seconds [\d.]+/);
      await again.kernel.stop();
    });
  });

  it('is refused where the documents are elsewhere (BACKUP-7)', async () => {
    await inFolder(async (folder) => {
      const storage = { engine: 'elasticsearch', elasticsearch: { node: 'http://127.0.0.1:1' } };
      await expect(openServer(join(folder, 'data'), { storage, backup: { schedule: '0 3 * * *' } })).rejects.toThrow(
        /Invalid configuration backup.schedule: .*snapshots of Elasticsearch/,
      );
    });
  });
});

describe('a restore', () => {
  it('refuses a folder that is not empty, and a changed file, and writes nothing then (BACKUP-10)', async () => {
    await inFolder(async (folder) => {
      const server = await openServer(join(folder, 'data'));
      const { name } = await backUp(server);
      await server.kernel.stop();
      const source = join(folder, 'data', 'backups', name);
      const refused = { id: 'core.backup_refused', status: 412 };
      const full = restoreBackup({ source, dataDir: join(folder, 'data') });
      await expect(full).rejects.toMatchObject({ ...refused, message: expect.stringContaining('not empty') as string });

      const empty = join(folder, 'empty');
      mkdirSync(empty);
      const { manifest } = await restoreBackup({ source, dataDir: empty, isDryRun: true });
      expect(manifest.files.map((file) => file.name)).toContain('millrace.db');
      const file = join(source, 'millrace.db');
      const bytes = readFileSync(file);
      bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
      writeFileSync(file, bytes);
      const changed = restoreBackup({ source, dataDir: empty });
      await expect(changed).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining('"millrace.db" is not the file') as string,
      });
      expect(readdirSync(empty)).toEqual([]);
      await expect(restoreBackup({ source: folder, dataDir: empty })).rejects.toMatchObject(refused);
    });
  });

  it('a restore that was killed between two steps is begun again (BACKUP-10)', async () => {
    await inFolder(async (folder) => {
      const server = await openServer(join(folder, 'data'));
      const { name } = await backUp(server);
      await server.kernel.stop();
      const source = join(folder, 'data', 'backups', name);
      const dataDir = join(folder, 'new');
      mkdirSync(join(dataDir, '.restoring'), { recursive: true });
      mkdirSync(join(dataDir, 'memory-store'));
      writeFileSync(join(dataDir, 'memory-store', 'changes-7.log'), 'of the killed one');
      await expect(openServer(dataDir)).rejects.toThrow(/was interrupted: run it again/);
      await restoreBackup({ source, dataDir });
      expect(readdirSync(dataDir).sort()).toEqual(['memory-store', 'millrace.db']);
      expect(readdirSync(join(dataDir, 'memory-store'))).not.toContain('changes-7.log');
      mkdirSync(join(dataDir, '.restoring'));
      await expect(restoreBackup({ source, dataDir })).rejects.toThrow(/is not empty/);
    });
  });

  it('gives the change log a new epoch, and ends all sessions (BACKUP-11)', async () => {
    await inFolder(async (folder) => {
      const first = await openServer(join(folder, 'data'));
      const credentials = { password: 'a long password' };
      const admin = { controller: 'security', action: 'createFirstAdmin', _id: 'ada', body: credentials };
      await first.ask(admin);
      const login = {
        controller: 'auth',
        action: 'login',
        strategy: 'local',
        body: { username: 'ada', ...credentials },
      };
      const { jwt } = await first.ask(login);
      const user = { _id: 'ada', profileIds: ['admin'] };
      const begun = await first.kernel.execute({ controller: 'server', action: 'backup' }, { user });
      const { name } = begun.result as unknown as { readonly name: string };
      const hello = { controller: 'client', action: 'hello', v: 1 };
      const { epoch } = await first.ask(hello);
      await first.kernel.stop();
      const dataDir = join(folder, 'restored');
      await restoreBackup({ source: join(folder, 'data', 'backups', name), dataDir });
      const second = await openServer(dataDir);
      expect((await second.ask(hello))['epoch']).not.toBe(epoch);
      const check = { controller: 'auth', action: 'checkToken', body: { token: jwt ?? null } };
      expect(await second.ask(check)).toMatchObject({ valid: false });
      expect(await second.ask(login)).toMatchObject({ _id: 'ada' });
      await second.kernel.stop();
    });
  });
});

describe('server.restoreCollection', () => {
  it('writes a collection of a backup into a new one (BACKUP-13)', async () => {
    await inFolder(async (folder) => {
      const server = await openServer(join(folder, 'data'));
      const searches = await fill(server, 7);
      const count = { controller: 'document', action: 'count', ...NAME };
      const { count: documents } = await server.ask(count);
      const { name: backup } = await backUp(server);
      await server.ask({ controller: 'collection', action: 'truncate', ...NAME });
      const call = { controller: 'server', action: 'restoreCollection', ...NAME, backup };
      const taken = server.ask({ ...call, as: NAME.collection });
      await expect(taken).rejects.toMatchObject({ id: 'core.backup_refused' });
      expect(await server.ask({ ...call, as: 'again' })).toEqual({ documents });
      expect(await server.ask({ ...count, collection: 'again' })).toEqual({ count: documents });
      expect(searches.length).toBeGreaterThan(0);
      const absent = server.ask({ ...call, collection: 'none', as: 'other' });
      await expect(absent).rejects.toThrow(/no collection "shop\/none"/);
      const unknown = server.ask({ ...call, backup: '../data', as: 'other' });
      await expect(unknown).rejects.toMatchObject({ id: 'core.backup_not_found', status: 404 });
      await server.kernel.stop();
    });
  });
});
