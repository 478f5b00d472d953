import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePrivateDirectory } from './makePrivateDirectory.js';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'millrace-private-'));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('makePrivateDirectory', () => {
  it('creates a folder and its parents that only the owner may enter', () => {
    makePrivateDirectory(join(root, 'a', 'b', 'c'));
    expect(modeOf(join(root, 'a'))).toBe(0o700);
    expect(modeOf(join(root, 'a', 'b', 'c'))).toBe(0o700);
  });

  it('leaves a folder that exists as it is', () => {
    mkdirSync(join(root, 'open'), { mode: 0o755 });
    makePrivateDirectory(join(root, 'open'));
    expect(modeOf(join(root, 'open'))).toBe(0o755);
  });

  it.runIf(process.platform === 'linux')('refuses a folder below /proc at once', () => {
    expect(() => makePrivateDirectory('/proc/x/y')).toThrow(/ENOENT.*mkdir '\/proc\/x'/);
  });

  it('refuses a file in the way, naming it', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makePrivateDirectory(join(root, 'file', 'data', 'deep'))).toThrow(
      `"${join(root, 'file')}" is not a folder`,
    );
    expect(() => makePrivateDirectory(join(root, 'file'))).toThrow(/is not a folder/);
  });

  it('refuses a symbolic link that leads nowhere, naming it', () => {
    symlinkSync(join(root, 'nowhere'), join(root, 'link'));
    expect(() => makePrivateDirectory(join(root, 'link', 'data'))).toThrow(
      `"${join(root, 'link')}" is a symbolic link to a folder that does not exist`,
    );
  });

  it('follows a symbolic link to a folder', () => {
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    makePrivateDirectory(join(root, 'link', 'data'));
    expect(modeOf(join(root, 'real', 'data'))).toBe(0o700);
  });
});
