import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseMapping } from '@millrace/query';
import { openDatabase } from '../openDatabase.js';
import { createSqliteEngine } from '../SqliteEngine.js';

/*
 * The upgrade from an earlier format (docs/decisions/0019, 0030): after a kill -9 at any moment, the next start accepts the file.
 */

const NAME = { index: 'shop', collection: 'things' };
let dataDir: string;
let file: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-upgrade-'));
  file = join(dataDir, 'millrace.db');
  const engine = createSqliteEngine({ dataDir });
  await engine.start();
  await engine.createCollection(NAME, parseMapping({ properties: { n: { type: 'integer' } } }));
  // Without a stamp a document is stored as in format 1.
  const operation = { ...NAME, kind: 'put' as const, id: 'a', source: { n: 1 }, condition: 'any' as const };
  await engine.write([operation], false);
  await engine.stop();
  const database = openDatabase(file);
  database.exec('DROP TABLE log; DROP TABLE log_covers; DROP TABLE log_pins');
  database.exec(`DELETE FROM meta WHERE key <> 'format'; UPDATE meta SET value = 1`);
  database.close();
});

afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

function readFormat(): unknown {
  const database = openDatabase(file);
  try {
    return database.prepare(`SELECT value FROM meta WHERE key = 'format'`).get()?.['value'];
  } finally {
    database.close();
  }
}

describe('an upgrade that is killed', () => {
  it.each([
    ['before', 1],
    ['after', 3],
  ])('%s it is committed leaves format %i, and the next start ends it', async (moment, format) => {
    const child = join(import.meta.dirname, '../../dist/interruptedUpgrade.test.child.js');
    expect(spawnSync(process.execPath, [child, file, moment]).signal).toBe('SIGKILL');
    expect(readFormat()).toBe(format);
    const engine = createSqliteEngine({ dataDir });
    await engine.start();
    expect(engine.read(NAME, 'a')).toMatchObject({ version: 1, source: { n: 1 } });
    const put = { ...NAME, kind: 'put', id: 'a', source: { n: 2 }, condition: 1 } as const;
    const stamp = { atMs: 1_700_000_000_000, userId: 'anna' };
    expect(await engine.write([put], false, stamp)).toMatchObject([{ version: 2 }]);
    await engine.stop();
    expect(readFormat()).toBe(3);
  });
});
