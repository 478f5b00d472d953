import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';

/** A plain SQLite file with the durability of ours: a table of JSON documents by unique id. */
export function plainSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'plain-sqlite-'));
  const database = new DatabaseSync(join(folder, 'plain.db'));
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536');
  database.exec('CREATE TABLE docs (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, j TEXT NOT NULL)');
  return {
    database,
    insert: database.prepare('INSERT INTO docs (id, j) VALUES (?, ?)'),
    close: () => {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
