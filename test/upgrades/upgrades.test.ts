import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restoreBackup } from '@millrace/server';
import { runTestCommand } from '../../packages/server/src/commands/runTestCommand.test.support.js';
import { openDatabase } from '../../packages/storage-sqlite/src/openDatabase.js';
import { CONTINUOUS } from '../backup/pointInTime.js';
import { ADMIN, inFolder, listBackups, openServer, type OpenServer } from '../backup/openServer.js';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const NAMES = readdirSync(FIXTURES).map((file) => file.replace('.tar.gz', ''));
const LAMPS = { index: 'shop', collection: 'lamps' };

/** A data folder that an earlier version wrote. */
function unpack(name: string, folder: string): string {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const tar = spawnSync('tar', ['xzf', join(FIXTURES, `${name}.tar.gz`), '-C', dataDir]);
  expect(tar.status).toBe(0);
  return dataDir;
}

/** Compares a server's data with what `writeFixture.mjs` has written. */
async function expectDocuments({ ask }: OpenServer): Promise<void> {
  const search = { controller: 'document', action: 'search', ...LAMPS };
  const { hits, total } = await ask({ ...search, body: { size: 100, sort: ['watts'] }, version: true });
  expect(total).toBe(19);
  const found = hits as unknown as readonly { _id: string; _source: object; _version: number }[];
  expect(found[0]).toMatchObject({
    _id: 'lamp-0',
    _source: { name: 'Lamp 0 of the älteste kind', watts: 0, tags: ['even'] },
  });
  expect(found.at(-1)).toMatchObject({ _id: 'lamp-1', _source: { watts: 100, tags: ['odd'] } });
  const words = await ask({ ...search, body: { query: { match: { name: 'älteste' } } } });
  expect(words['total']).toBe(19);
  const one = { controller: 'document', action: 'get', ...LAMPS, _id: 'lamp-1' };
  expect(await ask(one)).toMatchObject({ _version: 2 });
  const mapping = await ask({ controller: 'collection', action: 'getMapping', ...LAMPS });
  const lamps = {
    dynamic: 'strict',
    properties: { name: { type: 'text' }, watts: { type: 'integer' }, tags: { type: 'keyword' } },
  };
  expect(mapping).toMatchObject({ shop: { mappings: { lamps } } });
  const empty = { controller: 'document', action: 'count', index: 'shop', collection: 'empty' };
  expect(await ask(empty)).toEqual({ count: 0 });
}

async function expectUsers({ ask }: OpenServer): Promise<void> {
  const login = { controller: 'auth', action: 'login', strategy: 'local' };
  const credentials = { username: 'bob', password: 'a long password' };
  expect(await ask({ ...login, body: credentials })).toMatchObject({ _id: 'bob' });
  const get = (action: string, _id: string) => ask({ controller: 'security', action, _id });
  expect(await get('getUser', 'bob')).toMatchObject({ _source: { profileIds: ['readers'] } });
  expect(await get('getProfile', 'readers')).toMatchObject({
    _source: { policies: [{ roleId: 'reader' }] },
  });
  const controllers = { document: { actions: { search: true, get: true } } };
  expect(await get('getRole', 'reader')).toMatchObject({ _source: { controllers } });
}

async function expectMemoryStore({ kernel }: OpenServer): Promise<void> {
  const ms = async (action: string, args: object) =>
    (await kernel.execute({ controller: 'ms', action, ...args }, { user: ADMIN })).result;
  expect(await ms('get', { _id: 'text' })).toBe('kept');
  expect(await ms('hget', { _id: 'hash', field: 'a' })).toBe('1');
  expect(await ms('lrange', { _id: 'list', start: 0, stop: -1 })).toEqual(['x', 'y']);
  expect(await ms('get', { _id: 'gone' })).toBeNull();
}

async function expectAllIn(dataDir: string): Promise<void> {
  const server = await openServer(dataDir, {}, { user: ADMIN });
  await expectDocuments(server);
  await expectUsers(server);
  await expectMemoryStore(server);
  await server.kernel.stop();
}

/** Changes a database as a later version would. */
function change(file: string, sql: string): void {
  const database = openDatabase(file);
  database.exec(sql);
  database.close();
}

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

describe.each(NAMES)('the folder %s', (name) => {
  it('is upgraded at the start, and has all that was written (BACKUP-12)', async () => {
    await inFolder(async (folder) => {
      const dataDir = unpack(name, folder);
      await expectAllIn(dataDir);
      const database = openDatabase(join(dataDir, 'millrace.db'));
      const format = database.prepare(`SELECT value FROM meta WHERE key = 'format'`).get();
      database.close();
      expect(format).toMatchObject({ value: 3 });
      // Not by an upgrade.
      await expectAllIn(dataDir);
    });
  });

  it('is backed up without being changed, and restored (BACKUP-12)', async () => {
    await inFolder(async (folder) => {
      const file = join(unpack(name, folder), 'millrace.db');
      const before = digest(file);
      const made = await runTestCommand(['backup', '--to', 'kept'], { folder });
      expect(made).toMatchObject({ code: 0, stderr: '' });
      expect(digest(file)).toBe(before);
      const restored = await runTestCommand(['restore', 'kept', '--dataDir', 'new'], { folder });
      expect(restored).toMatchObject({ code: 0, stderr: '' });
      await expectAllIn(join(folder, 'new'));
    });
  });
});

describe('data of a later version (BACKUP-12)', () => {
  const LATER = `UPDATE meta SET value = 4 WHERE key = 'format'`;

  it('in the database is refused by the start and by a backup, which name both formats', async () => {
    await inFolder(async (folder) => {
      const dataDir = join(folder, 'data');
      await (await openServer(dataDir)).kernel.stop();
      change(join(dataDir, 'millrace.db'), LATER);
      const problem = /format 4 and this version reads format 3: use the version that wrote it/;
      await expect(openServer(dataDir)).rejects.toThrow(problem);
      const { code, stderr } = await runTestCommand(['backup', '--to', 'kept'], { folder });
      expect(code).toBe(1);
      expect(stderr).toMatch(problem);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(readdirSync(join(folder, 'kept'))).toEqual([]);
    });
  });

  it('in the memory store is refused by the start', async () => {
    await inFolder(async (folder) => {
      const server = await openServer(folder);
      await server.ask({ controller: 'ms', action: 'set', _id: 'a', body: { value: 'b' } });
      await server.kernel.stop();
      const log = join(folder, 'memory-store', 'changes-0.log');
      writeFileSync(log, readFileSync(log, 'latin1').replace('MSLOG-2', 'MSLOG-3'), 'latin1');
      await expect(openServer(folder)).rejects.toThrow(
        /changes-0.log" has format 3 and this version reads format 2: use the version that wrote it/,
      );
    });
  });

  it('in a backup, its database or its changes is refused by a restore, which leaves nothing', async () => {
    await inFolder(async (folder) => {
      const dataDir = join(folder, 'data');
      const server = await openServer(dataDir, CONTINUOUS);
      await expect.poll(async () => (await listBackups(server))[0]?.state).toBe('complete');
      const [{ name = '' } = {}] = await listBackups(server);
      await server.ask({ controller: 'index', action: 'create', index: 'i' });
      await server.ask({ controller: 'document', action: 'create', index: 'i', collection: 'c', body: {} });
      await server.kernel.stop();
      const backups = join(dataDir, 'backups');
      const target = join(folder, 'new');
      const until = { timeMs: Date.now() };
      const [segment = ''] = readdirSync(join(backups, 'changes')).slice(-1);
      change(join(backups, 'changes', segment), 'PRAGMA user_version = 2');
      await expect(restoreBackup({ source: backups, dataDir: target, until })).rejects.toThrow(
        /changes\/.*has format 2 and this version reads format 1: use the version that wrote it/,
      );
      expect(readdirSync(target)).toEqual([]);

      const manifestFile = join(backups, name, 'manifest.json');
      const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as {
        files: { name: string; bytes: number; sha256: string }[];
      };
      const database = join(backups, name, 'millrace.db');
      change(database, LATER);
      const files = manifest.files.map((file) =>
        file.name === 'millrace.db'
          ? { ...file, bytes: readFileSync(database).length, sha256: digest(database) }
          : file,
      );
      writeFileSync(manifestFile, JSON.stringify({ ...manifest, files }));
      const source = join(backups, name);
      await expect(restoreBackup({ source, dataDir: target })).rejects.toThrow(
        /format 4 and this version reads format 3/,
      );
      expect(readdirSync(target)).toEqual([]);

      writeFileSync(manifestFile, JSON.stringify({ ...manifest, format: 2, version: '9.0.0' }));
      await expect(restoreBackup({ source, dataDir: target })).rejects.toThrow(
        /format 2 and this version reads format 1: use version 9.0.0 of Millrace or later/,
      );
    });
  });
});
