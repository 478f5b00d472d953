import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { sourceBytes } from './sourceBytes.js';

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-source-bytes-'));
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

it('BACKUP-4 counts the database, its log and the embedded memory store', async () => {
  const write = (name: string, bytes: number) => {
    writeFileSync(join(dataDir, name), Buffer.alloc(bytes));
  };
  mkdirSync(join(dataDir, 'memory-store'));
  write('millrace.db', 4_000);
  expect(await sourceBytes({ dataDir, memoryStore: true })).toBe(4_000);
  write('millrace.db-wal', 300);
  write('memory-store/base-1', 20);
  write('memory-store/changes-1', 1);
  // Made again when it is needed: not in a backup.
  write('millrace.db-shm', 32_768);
  expect(await sourceBytes({ dataDir, memoryStore: true })).toBe(4_321);
  expect(await sourceBytes({ dataDir, memoryStore: false })).toBe(4_300);
});
