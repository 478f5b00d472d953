import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogFolder } from './LogFolder.js';

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'millrace-log-'));
});
afterEach(() => {
  rmSync(path, { recursive: true });
});

function folderOf(...names: readonly string[]): LogFolder {
  for (const name of names) writeFileSync(join(path, name), '');
  return new LogFolder(path);
}

describe('the folder of a log', () => {
  it('is read from the highest base on, changes by their numbers', () => {
    const names = ['base-8.log', 'base-9.log', 'changes-8.log', 'changes-9.log', 'changes-10.log'];
    expect(folderOf(...names).list()).toEqual({ base: 9, changes: [9, 10] });
    expect(folderOf('base-10.log').list()).toEqual({ base: 10, changes: [10] });
  });

  it('has no base before the first rewrite, or if that was interrupted', () => {
    expect(folderOf().list()).toEqual({ base: undefined, changes: [] });
    const folder = folderOf('changes-0.log', 'changes-1.log', 'base-1.log.unfinished');
    expect(folder.list()).toEqual({ base: undefined, changes: [0, 1] });
  });

  it('is cleaned of older generations and interrupted rewrites, and of nothing else', async () => {
    const kept = ['base-10.log', 'changes-10.log', 'changes-11.log', 'lock', 'my-base-1.log', 'base-1.log.copy'];
    const removed = ['base-2.log', 'changes-2.log', 'changes-9.log', 'base-11.log.unfinished'];
    mkdirSync(join(path, 'base-1'));
    await folderOf(...kept, ...removed).clean(10);
    expect(readdirSync(path).sort()).toEqual([...kept, 'base-1'].sort());
  });
});
