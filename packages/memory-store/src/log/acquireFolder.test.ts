import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '@millrace/kernel';
import { ownerOnlyFolder } from './acquireFolder.js';

let root: string;
let lines: string[];
const logger = {
  ...silentLogger,
  warn: (_: unknown, line?: string) => void lines.push(line ?? ''),
};
const modeOf = (...names: string[]) => (statSync(join(root, ...names)).mode & 0o777).toString(8);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-owner-'));
  lines = [];
});
afterEach(() => rmSync(root, { recursive: true }));

describe.skipIf(process.platform === 'win32')('ownerOnlyFolder', () => {
  it('makes a folder, and those above it, for its owner alone', () => {
    ownerOnlyFolder(join(root, 'data', 'store'), logger);
    expect([modeOf('data'), modeOf('data', 'store')]).toEqual(['700', '700']);
    expect(lines).toEqual([]);
  });

  it('takes the rights of others away from what is there, with one line that names the folder', () => {
    mkdirSync(join(root, 'store'));
    chmodSync(join(root, 'store'), 0o755);
    for (const name of ['a.log', 'b.log']) {
      writeFileSync(join(root, 'store', name), 'x');
      chmodSync(join(root, 'store', name), 0o644);
    }
    ownerOnlyFolder(join(root, 'store'), logger);
    expect([modeOf('store'), modeOf('store', 'a.log'), modeOf('store', 'b.log')]).toEqual(['700', '600', '600']);
    ownerOnlyFolder(join(root, 'store'), logger);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(join(root, 'store'));
  });

  it('leaves what a symbolic link in the folder points to', () => {
    writeFileSync(join(root, 'other'), 'x');
    chmodSync(join(root, 'other'), 0o644);
    mkdirSync(join(root, 'store'), { mode: 0o700 });
    symlinkSync(join(root, 'other'), join(root, 'store', 'a.log'));
    ownerOnlyFolder(join(root, 'store'), logger);
    expect(modeOf('other')).toBe('644');
    expect(lines).toEqual([]);
  });

  it('refuses at once where no folder can be made', () => {
    writeFileSync(join(root, 'file'), 'x');
    expect(() => ownerOnlyFolder(join(root, 'file'), logger)).toThrow('EEXIST');
    expect(() => ownerOnlyFolder('/proc/millrace/store', logger)).toThrow('ENOENT');
  });
});
