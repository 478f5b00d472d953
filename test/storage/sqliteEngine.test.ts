import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vitest from 'vitest';
import { silentLogger } from '@millrace/kernel';
import { createSqliteEngine } from '@millrace/storage-sqlite';
import { describeStorageEngine } from '@millrace/testing';

describeStorageEngine(
  'SqliteEngine',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-engine-'));
    const open = async () => {
      const engine = createSqliteEngine({ dataDir, logger: silentLogger });
      await engine.start();
      return engine;
    };
    let engine = await open();
    return {
      engine,
      reopen: async () => {
        await engine.stop();
        engine = await open();
        return engine;
      },
      close: async () => {
        await engine.stop();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  },
  vitest,
);
