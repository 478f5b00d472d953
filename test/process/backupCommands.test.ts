import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace } from './runMillrace.js';

const BIN = join(import.meta.dirname, '../../packages/server/bin/millrace.js');

function millrace(folder: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { cwd: folder });
  return { status, stdout, stderr: stderr.toString() };
}

async function put(url: string, id: string): Promise<void> {
  const body = JSON.stringify({ n: 1 });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/shop/things/${id}`, { method: 'PUT', headers, body });
  expect(answer.status).toBe(200);
}

describe('millrace backup and millrace restore', () => {
  it('copy a running server into an archive, and make a folder of it that a server starts on (BACKUP-14)', async () => {
    await inTemporaryFolder(async (folder) => {
      const first = runMillrace(folder, ['--http.port', '0']);
      const url = await first.listening;
      await fetch(`${url}/shop`, { method: 'PUT' });
      await put(url, 'one');
      const packed = millrace(folder, 'backup', '--to', '-');
      expect(packed).toMatchObject({ status: 0, stderr: '' });
      await put(url, 'two');
      first.signal('SIGTERM');
      expect(await first.ended).toBe(0);
      expect(readdirSync(join(folder, 'data', 'backups'))).toEqual([]);
      writeFileSync(join(folder, 'backup.tar.gz'), packed.stdout);

      const dry = millrace(folder, 'restore', 'backup.tar.gz', '--dataDir', 'new', '--dryRun');
      expect(JSON.parse(dry.stdout.toString())).toMatchObject({ format: 1, memoryStore: true });
      const restored = millrace(folder, 'restore', 'backup.tar.gz', '--dataDir', 'new');
      expect(restored.stderr).toBe('');
      expect(restored.stdout.toString()).toMatch(/^Backup \S+ is restored: millrace --server.dataDir /);
      const again = millrace(folder, 'restore', 'backup.tar.gz', '--dataDir', 'new');
      expect(again).toMatchObject({ status: 1 });
      expect(again.stderr).toMatch(/is not empty/);
      expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);

      const second = runMillrace(folder, ['--http.port', '0', '--server.dataDir', 'new']);
      const there = await second.listening;
      expect((await fetch(`${there}/shop/things/one`)).status).toBe(200);
      expect((await fetch(`${there}/shop/things/two`)).status).toBe(404);
      second.signal('SIGTERM');
      expect(await second.ended).toBe(0);
    });
  });

  it('work with folders, standard tar, and a stopped server (BACKUP-14)', async () => {
    await inTemporaryFolder(async (folder) => {
      const first = runMillrace(folder, ['--http.port', '0']);
      await first.listening;
      first.signal('SIGTERM');
      expect(await first.ended).toBe(0);
      const made = millrace(folder, 'backup', '--to', 'kept', '--note', 'by hand', '--json');
      const manifest = JSON.parse(made.stdout.toString()) as { name: string; note: string };
      expect(manifest.note).toBe('by hand');
      const restored = millrace(folder, 'restore', 'kept', '--dataDir', 'new', '--json');
      expect(JSON.parse(restored.stdout.toString())).toMatchObject({ manifest: { name: manifest.name } });
      writeFileSync(join(folder, 'a.tar.gz'), millrace(folder, 'backup', '--to', '-').stdout);
      mkdirSync(join(folder, 'unpacked'));
      const tar = spawnSync('tar', ['xzf', 'a.tar.gz', '-C', 'unpacked'], { cwd: folder });
      expect(tar.stderr.toString()).toBe('');
      expect(readdirSync(join(folder, 'unpacked')).sort()).toEqual(['manifest.json', 'memory-store', 'millrace.db']);
    });
  });

  it('refuse what is no data folder, no backup and no archive, in one line', async () => {
    await inTemporaryFolder(async (folder) => {
      const nothing = millrace(folder, 'backup', '--server.dataDir', 'none');
      expect(nothing.status).toBe(1);
      expect(nothing.stderr).toMatch(/^millrace: ".*none" has no database: .*\n$/);
      expect(readdirSync(folder)).toEqual([]);
      expect(millrace(folder, 'restore', 'none').status).toBe(2);
      expect(millrace(folder, 'restore', '.', '--dataDir', 'new', '--until', 'soon').status).toBe(2);
      const empty = millrace(folder, 'restore', '.', '--dataDir', 'new');
      expect(empty.stderr).toMatch(/is no backup, and has none in it/);
      expect(millrace(folder, 'restore', 'none', '--dataDir', 'new').stderr).toMatch(
        /^millrace: ".*none" does not exist\n$/,
      );
      writeFileSync(join(folder, 'plain'), 'no archive');
      expect(millrace(folder, 'restore', 'plain', '--dataDir', 'a/new').stderr).toMatch(
        /^millrace: ".*plain" is no \.tar\.gz of millrace backup: incorrect header check\n$/,
      );
      writeFileSync(join(folder, 'text.tar.gz'), gzipSync('no archive'.repeat(100)));
      const text = millrace(folder, 'restore', 'text.tar.gz', '--dataDir', 'new');
      expect(text.stderr).toMatch(/it is not an archive of regular files/);
      // A name that leads out of the folder.
      const evil = spawnSync('tar', ['czPf', 'evil.tar.gz', '../../../../../../../etc/hostname'], { cwd: folder });
      expect(evil.status).toBe(0);
      const out = millrace(folder, 'restore', 'evil.tar.gz', '--dataDir', 'new');
      expect(out.stderr).toMatch(/is no file of a backup/);
      expect(gunzipSync(readFileSync(join(folder, 'text.tar.gz'))).length).toBe(1_000);
    });
  });
});
