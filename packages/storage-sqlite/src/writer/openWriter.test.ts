import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../openDatabase.js';
import { readLogHead } from '../schema/changeLogTables.js';
import { openWriter } from './openWriter.js';

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-open-'));
  file = join(directory, 'millrace.db');
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function change(sql: string): void {
  const database = openDatabase(file);
  database.exec(sql);
  database.close();
}

describe('openWriter', () => {
  it('refuses a file of another format and leaves it as it is', () => {
    change(`CREATE TABLE meta(key TEXT PRIMARY KEY, value); INSERT INTO meta VALUES('format', 4)`);
    expect(() => openWriter(file)).toThrow(/format 4 .* reads format 3/);
    const database = openDatabase(file);
    expect(database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()).toHaveLength(1);
    database.close();
  });

  it.each([1, 2])('gives a file of format %i the format that its version refuses, once', (former) => {
    openWriter(file).database.close();
    change(`DROP TABLE log; DROP TABLE log_covers; DROP TABLE log_pins;
      DELETE FROM meta WHERE key <> 'format'; UPDATE meta SET value = ${former} WHERE key = 'format'`);
    const first = openWriter(file);
    expect(first.opened.formerFormat).toBe(former);
    expect(first.database.prepare(`SELECT value FROM meta WHERE key = 'format'`).get()).toMatchObject({ value: 3 });
    first.database.close();
    const second = openWriter(file);
    expect(second.opened.formerFormat).toBeUndefined();
    second.database.close();
  });

  it('keeps the epoch of the change log, and gives a copy of the file another one (LOG-2)', () => {
    const epochOf = (path: string) => {
      const { database } = openWriter(path);
      const { epoch } = readLogHead(database);
      database.close();
      return epoch;
    };
    const epoch = epochOf(file);
    expect(epoch).toMatch(/^[0-9a-z]{8}$/);
    expect(epochOf(file)).toBe(epoch);
    const copy = join(directory, 'restored.db');
    copyFileSync(file, copy);
    expect(epochOf(copy)).not.toBe(epoch);
  });

  it('refuses a file that is no database', () => {
    writeFileSync(file, 'no database at all, only text'.repeat(200));
    expect(() => openWriter(file)).toThrow(/not a database/);
  });

  it('refuses a catalog with a changed byte, naming the entry', () => {
    openWriter(file).database.close();
    change(`INSERT INTO indexes(name, auto_refresh, c) VALUES('books', 0, 12345)`);
    expect(() => openWriter(file)).toThrow(/index "books" is damaged/);
  });

  it('refuses a damaged page', () => {
    const { database } = openWriter(file);
    database.exec('CREATE TABLE filler(n INTEGER PRIMARY KEY, t TEXT)');
    const insert = database.prepare('INSERT INTO filler(t) VALUES(?)');
    database.exec('BEGIN');
    for (let i = 0; i < 2_000; i += 1) insert.run('x'.repeat(100));
    database.exec('COMMIT');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    const bytes = readFileSync(file);
    // The header of a page in the middle: its type and its number of cells.
    bytes.fill(0xff, 4096 * 20, 4096 * 20 + 8);
    writeFileSync(file, bytes);
    expect(() => openWriter(file)).toThrow(/damaged|malformed/);
  });
});
