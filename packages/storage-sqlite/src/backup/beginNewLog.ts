import { openDatabase } from '../openDatabase.js';

/** Marks a restored database: its change log gets a new epoch at the next start, whatever file it is in then. */
export function beginNewLog(file: string): void {
  const database = openDatabase(file);
  try {
    database.exec(`DELETE FROM meta WHERE key = 'log_file'`);
  } finally {
    database.close();
  }
}
