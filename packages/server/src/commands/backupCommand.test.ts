import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTestCommand } from './runTestCommand.test.support.js';

describe('backup', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-backup-'));
    await mkdir(join(folder, 'data'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('MOVE-5 refuses a data folder whose documents are in Elasticsearch', async () => {
    const moved = { phase: 'moved', node: 'http://192.0.2.1:9200', prefix: 'millrace', movedAt: 1 };
    await writeFile(join(folder, 'data/engine.json'), JSON.stringify(moved));
    const { code, stderr } = await runTestCommand(['backup', '--server.dataDir', join(folder, 'data')], { folder });
    expect(code).toBe(1);
    expect(stderr).toContain('The documents are not in the embedded engine');
  });
});
