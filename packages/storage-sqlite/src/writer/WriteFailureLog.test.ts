import { silentLogger, type Logger } from '@millrace/kernel';
import { expect, it } from 'vitest';
import { WriteFailureLog } from './WriteFailureLog.js';

it('WriteFailureLog logs that writes fail and that they succeed again, at most once a minute', () => {
  const lines: unknown[] = [];
  const record = (fields: unknown, message?: string) => lines.push([fields, message]);
  let nowMs = 0;
  const logger = { ...silentLogger, error: record, info: record } as Logger;
  const log = new WriteFailureLog(logger, '/data', () => nowMs);
  log.add(null);
  expect(lines).toEqual([]);
  const full = 'writes fail: no space left on the device';
  for (let n = 0; n < 5; n++) {
    log.add(full);
    log.add(null);
  }
  const failed = [{ dataDir: '/data', reason: full }, 'documents are not stored'];
  const succeeded = [{ dataDir: '/data' }, 'documents are stored again'];
  expect(lines).toEqual([failed, succeeded]);
  nowMs += 60_000;
  log.add(full);
  expect(lines).toEqual([failed, succeeded, failed]);
});
