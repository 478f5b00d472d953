import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vitest from 'vitest';
import { LocalLog } from '@millrace/cluster';
import { silentLogger, type ChangeLog } from '@millrace/kernel';
import { createLogFile, createSqliteEngine } from '@millrace/storage-sqlite';
import { describeChangeLog } from '@millrace/testing';
import { engineWrites } from './engineWrites.js';
import { withoutLog } from './withoutLog.js';

async function openServer(dataDir: string, maxAgeMs: number, maxBytes: number) {
  const store = createSqliteEngine({ dataDir, logger: silentLogger });
  await store.start();
  const log = new LocalLog({
    engine: withoutLog(store),
    file: await createLogFile({ dataDir: join(dataDir, 'log'), maxBytes, logger: silentLogger }),
    history: { maxAgeMs, collections: 'subscribed' },
    internalIndex: '%internal',
    logger: silentLogger,
  });
  await log.start();
  return {
    engine: log.engine,
    log: log.engine.changeLog as ChangeLog,
    stop: async () => {
      await log.stop();
      await store.stop();
    },
  };
}

describeChangeLog(
  'LocalLog',
  async ({ maxAgeMs, maxBytes }) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-log-'));
    const open = () => openServer(dataDir, maxAgeMs, maxBytes);
    let server = await open();
    return {
      log: server.log,
      laterThan: (head) => head.replace('.', '.z'),
      ...engineWrites(() => server.engine),
      reopen: async () => {
        await server.stop();
        server = await open();
        return server.log;
      },
      close: async () => {
        await server.stop();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  },
  vitest,
);
