import { openDatabase } from './openDatabase.js';
import type { SqliteDatabase } from './SqliteDatabase.js';
import { prepareCatalog } from './schema/catalogTables.js';

// Child process of interruptedUpgrade.test.ts: kills itself right before or after it commits the upgrade of a file.
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
