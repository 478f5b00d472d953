import { openDatabase } from '../openDatabase.js';
import { prepareCatalog } from '../schema/catalogTables.js';

/**
 * Empties the change log of a restored database: it gets a new epoch at the next start, whatever file it is in then.
 * @param seq the position of the database
 * @throws Error for a format that this version doesn't read
 */
export function beginNewLog(file: string, seq: number): void {
  const database = openDatabase(file);
  try {
    prepareCatalog(database);
    database.exec(`BEGIN IMMEDIATE;
      DELETE FROM log; DELETE FROM log_covers; DELETE FROM log_pins;
      DELETE FROM meta WHERE key = 'log_file'`);
    database.prepare(`INSERT OR REPLACE INTO meta VALUES('log_seq', ?)`).run(seq);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}
