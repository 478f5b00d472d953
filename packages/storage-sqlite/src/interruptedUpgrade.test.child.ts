import { openDatabase } from './openDatabase.js';
import type { SqliteDatabase } from './SqliteDatabase.js';
import { prepareCatalog } from './schema/catalogTables.js';

// The process that interruptedUpgrade.test.ts has kill itself: right before or after the upgrade of a file is committed.
const [file = '', moment] = process.argv.slice(2);
const database = openDatabase(file);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');

const doomed: Pick<SqliteDatabase, 'prepare' | 'exec'> = {
  prepare: (sql) => database.prepare(sql),
  exec: (sql) => {
    database.exec(moment === 'before' ? sql.slice(0, sql.lastIndexOf('COMMIT')) : sql);
    process.kill(process.pid, 'SIGKILL');
  },
};
prepareCatalog(doomed as SqliteDatabase);
