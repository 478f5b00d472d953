import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { driverFile } from '../openDatabase.js';
import { acquireDataDirectory } from './acquireDataDirectory.js';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-lock-'));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

/** A process that locks the file as another engine would. */
const HOLDER = `
  const driver = process.argv[1];
  const { DatabaseSync } = require(driver);
  const lock = new DatabaseSync(process.argv[2]);
  lock.exec('BEGIN EXCLUSIVE');
  console.log('held');
  setInterval(() => lock.isOpen, 1000);`;

describe('acquireDataDirectory', () => {
  it('makes the directory and refuses a second engine of the same process, naming the directory', () => {
    const dataDir = join(root, 'deep', 'data');
    const release = acquireDataDirectory(dataDir);
    expect(existsSync(dataDir)).toBe(true);
    expect(() => acquireDataDirectory(dataDir)).toThrow(
      expect.objectContaining({
        id: 'storage.unavailable',
        message: expect.stringContaining(dataDir) as string,
      }),
    );
    release();
    acquireDataDirectory(dataDir)();
  });

  it('is refused while another process holds it and free when that one is killed', async () => {
    const holder = spawn(process.execPath, ['-e', HOLDER, driverFile(), join(root, 'millrace.lock')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(holder.stdout, 'data');
      expect(() => acquireDataDirectory(root)).toThrow(/is in use by another Millrace/);
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    }
    acquireDataDirectory(root)();
  });

  it('says which directory cannot be made', () => {
    const dataDir = join(root, 'file', 'data');
    writeFileSync(join(root, 'file'), '');
    expect(() => acquireDataDirectory(dataDir)).toThrow(/the data directory ".*data" can't be used/);
  });
});
