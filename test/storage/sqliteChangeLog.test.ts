import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vitest from 'vitest';
import { silentLogger } from '@millrace/kernel';
import { createSqliteEngine, type HistoryOptions } from '@millrace/storage-sqlite';
import { describeChangeLog } from '@millrace/testing';
import { engineWrites } from './engineWrites.js';

describeChangeLog(
  'SqliteChangeLog',
  async (limits) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-log-'));
    const history: HistoryOptions = {
      ...limits,
      collections: 'subscribed',
      maxPinnedAgeMs: limits.maxAgeMs,
      maxPinnedBytes: limits.maxBytes,
    };
    const open = async () => {
      const engine = createSqliteEngine({ dataDir, history, logger: silentLogger });
      await engine.start();
      return engine;
    };
    let engine = await open();
    return {
      log: engine.changeLog,
      ...engineWrites(() => engine),
      reopen: async () => {
        await engine.stop();
        engine = await open();
        return engine.changeLog;
      },
      close: async () => {
        await engine.stop();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  },
  vitest,
);
