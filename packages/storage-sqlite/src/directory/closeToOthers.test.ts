import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, type Logger } from '@millrace/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeToOthers } from './closeToOthers.js';

let dataDir: string;
let outside: string;
let lines: { readonly fields: object; readonly message: string }[];

const log: Logger = {
  ...silentLogger,
  warn: (fields, message) => void lines.push({ fields, message }),
};

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-modes-'));
  outside = mkdtempSync(join(tmpdir(), 'millrace-outside-'));
  lines = [];
});

afterEach(() => {
  rmSync(dataDir, { recursive: true });
  rmSync(outside, { recursive: true });
});

const path = (...names: string[]): string => join(dataDir, ...names);
const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

function write(file: string, mode: number): void {
  writeFileSync(file, '');
  chmodSync(file, mode);
}

describe.skipIf(process.platform === 'win32')('closeToOthers', () => {
  it('removes the permissions of others from directory and files, with one log line naming it', () => {
    chmodSync(dataDir, 0o755);
    write(path('millrace.db'), 0o644);
    write(path('millrace.db-wal'), 0o660);
    mkdirSync(path('millrace.db-index'));
    chmodSync(path('millrace.db-index'), 0o777);
    write(path('millrace.db-index', '1-ab.index'), 0o604);
    closeToOthers(dataDir, log);
    expect(modeOf(dataDir)).toBe('700');
    expect(modeOf(path('millrace.db'))).toBe('600');
    expect(modeOf(path('millrace.db-wal'))).toBe('600');
    expect(modeOf(path('millrace.db-index'))).toBe('700');
    expect(modeOf(path('millrace.db-index', '1-ab.index'))).toBe('600');
    expect(lines).toEqual([{ fields: { dataDir, closed: 5 }, message: expect.stringContaining('removed') as string }]);
  });

  it('says nothing where all is closed', () => {
    write(path('millrace.db'), 0o600);
    closeToOthers(dataDir, log);
    expect(lines).toEqual([]);
  });

  it('leaves files of others in the directory, and whatever a link leads to', () => {
    write(path('package.json'), 0o644);
    write(join(outside, 'passwd'), 0o644);
    mkdirSync(join(outside, 'folder'), { mode: 0o755 });
    symlinkSync(join(outside, 'passwd'), path('millrace.db'));
    symlinkSync(join(outside, 'folder'), path('millrace.db-index'));
    closeToOthers(dataDir, log);
    expect(modeOf(path('package.json'))).toBe('644');
    expect(modeOf(join(outside, 'passwd'))).toBe('644');
    expect(modeOf(join(outside, 'folder'))).toBe('755');
    expect(lines).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('warns where a file belongs to another user', () => {
    write(path('millrace.db'), 0o644);
    chownSync(path('millrace.db'), 65_534, 65_534);
    closeToOthers(dataDir, log);
    expect(modeOf(path('millrace.db'))).toBe('644');
    expect(lines).toEqual([
      {
        fields: {
          dataDir,
          reason: `"${path('millrace.db')}" belongs to another user (65534)`,
        },
        message: expect.stringContaining('could not be changed') as string,
      },
    ]);
  });
});
