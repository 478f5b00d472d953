import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inTemporaryFolder, runMillrace, type MillraceProcess } from './runMillrace.js';

/* Who may read the data directory, and directories that can't be used. */

const BIN = join(import.meta.dirname, '../../packages/server/bin/millrace.js');
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const start = (folder: string, dataDir: string, uid?: number): MillraceProcess =>
  runMillrace(folder, ['--http.port', '0', '--server.dataDir', dataDir], {}, uid === undefined ? {} : { uid });

/** What is open to other users below a folder. @returns paths with their modes */
function openToOthers(folder: string): readonly string[] {
  const paths = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  return [folder, ...paths].flatMap((path) => {
    const mode = statSync(path).mode & 0o777;
    return (mode & 0o077) === 0 ? [] : [`${path} ${mode.toString(8)}`];
  });
}

async function put(url: string): Promise<void> {
  const answer = await fetch(`${url}/i/c/1`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
  });
  expect(answer.status).toBe(200);
}

async function useAndStop(millrace: MillraceProcess, dataDir: string): Promise<void> {
  const url = await millrace.listening;
  await put(url);
  const set = await fetch(`${url}/ms/key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"value":"secret"}',
  });
  await set.arrayBuffer();
  expect(openToOthers(dataDir)).toEqual([]);
  millrace.signal('SIGTERM');
  expect(await millrace.ended).toBe(0);
  expect(openToOthers(dataDir)).toEqual([]);
}

const warnings = (millrace: MillraceProcess): readonly string[] =>
  millrace
    .output()
    .split('\n')
    .filter((line) => line.includes('was open to other users'));

describe.skipIf(process.platform === 'win32')('the data directory', () => {
  it('is created for its owner alone, with everything in it', async () => {
    await inTemporaryFolder(async (folder) => {
      const dataDir = join(folder, 'deep', 'data');
      const millrace = start(folder, dataDir);
      await useAndStop(millrace, dataDir);
      expect(openToOthers(join(folder, 'deep'))).toEqual([]);
      expect(warnings(millrace)).toEqual([]);
    });
  });

  it('a data directory open to others is closed to them at the start, with one log line that names it', async () => {
    await inTemporaryFolder(async (folder) => {
      const dataDir = join(folder, 'data');
      const first = start(folder, dataDir);
      await put(await first.listening);
      first.signal('SIGTERM');
      await first.ended;
      chmodSync(dataDir, 0o755);
      for (const name of readdirSync(dataDir)) {
        if (name.startsWith('millrace.')) chmodSync(join(dataDir, name), 0o644);
      }
      const second = start(folder, dataDir);
      await useAndStop(second, dataDir);
      const lines = warnings(second);
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ dataDir, level: 40 });
    });
  });

  it.runIf(isRoot)('can not be read by another user of the machine', async () => {
    await inTemporaryFolder(async (folder) => {
      chmodSync(folder, 0o755);
      const millrace = start(folder, 'data');
      await put(await millrace.listening);
      const copy = spawnSync('cat', [join(folder, 'data', 'millrace.db')], { uid: NOBODY });
      expect(copy.status).not.toBe(0);
      expect(copy.stderr.toString()).toContain('Permission denied');
      millrace.signal('SIGTERM');
      await millrace.ended;
      for (const [words, text] of [
        ['user list', 'data" can\'t be read by this user'],
        ['backup', 'data" can\'t be read by this user'],
        ['doctor', "data can't be read and written by this user"],
        ['start', 'data" can\'t be used: EACCES'],
      ] as const) {
        const args = [...words.split(' '), '--http.port', '0', '--server.dataDir', 'data'];
        const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
          cwd: folder,
          uid: NOBODY,
        });
        expect(status).toBe(1);
        expect(`${stdout.toString()}${stderr.toString()}`).toContain(text);
      }
    });
  });
});

interface Refusal {
  readonly title: string;
  /** Makes the place ready. @returns the data directory */
  readonly prepare: (folder: string) => string;
  readonly words: readonly string[];
  readonly isSkipped?: boolean;
}

const REFUSALS: readonly Refusal[] = [
  {
    title: 'below /proc, where mkdir of Node.js 20 never returns',
    prepare: () => '/proc/x/data',
    words: ['/proc/x/data', 'ENOENT'],
    isSkipped: process.platform !== 'linux',
  },
  {
    title: 'with a file in the way',
    prepare: (folder) => {
      writeFileSync(join(folder, 'file'), '');
      return join(folder, 'file', 'data');
    },
    words: ['file', 'is not a folder'],
  },
  {
    title: 'behind a symbolic link that leads nowhere',
    prepare: (folder) => {
      symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
      return join(folder, 'link');
    },
    words: ['link', 'symbolic link to a folder that does not exist'],
  },
  {
    title: 'that is a device',
    prepare: () => '/dev/null',
    words: ['/dev/null', 'is not a folder'],
    isSkipped: process.platform === 'win32',
  },
  {
    title: 'in a folder that may not be written',
    prepare: (folder) => {
      mkdirSync(join(folder, 'locked'));
      chmodSync(join(folder, 'locked'), 0o555);
      return join(folder, 'locked', 'data');
    },
    words: ['locked', 'EACCES'],
    isSkipped: process.platform === 'win32',
  },
  {
    title: 'that may not be written itself',
    prepare: (folder) => {
      mkdirSync(join(folder, 'locked'));
      chmodSync(join(folder, 'locked'), 0o555);
      return join(folder, 'locked');
    },
    words: ['locked', 'EACCES'],
    isSkipped: process.platform === 'win32',
  },
];

describe('a data directory that can not be used stops the start with one line and exit code 1', () => {
  it.each(REFUSALS.filter(({ isSkipped }) => isSkipped !== true))('$title', async (refusal) => {
    await inTemporaryFolder(async (folder) => {
      const dataDir = refusal.prepare(folder);
      // Root may do everything: the process runs as another user.
      if (isRoot) chownSync(folder, NOBODY, NOBODY);
      const millrace = start(folder, dataDir, isRoot ? NOBODY : undefined);
      expect(await millrace.ended).toBe(1);
      const lines = millrace.output().trim().split('\n');
      expect(lines).toHaveLength(1);
      for (const word of refusal.words) expect(lines[0]).toContain(word);
    });
  });

  it.runIf(isRoot && process.platform === 'linux')('on a file system that is read-only', async (context) => {
    await inTemporaryFolder(async (folder) => {
      const mounted = join(folder, 'mounted');
      mkdirSync(mounted);
      const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=1m', 'tmpfs', mounted]);
      if (mount.status !== 0) return context.skip('nothing may be mounted here');
      try {
        for (const dataDir of [mounted, join(mounted, 'data')]) {
          const millrace = start(folder, dataDir);
          expect(await millrace.ended).toBe(1);
          expect(millrace.output().trim().split('\n')).toHaveLength(1);
          expect(millrace.output()).toMatch(/mounted.*EROFS/);
        }
      } finally {
        spawnSync('umount', [mounted]);
      }
    });
  });
});
