import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../openDatabase.js';
import { rowChecksum } from '../storedText.js';
import { createCollectionTables } from './collectionTables.js';
import { checkTables } from './checkTables.js';
import { flipIndexedId } from '../integrity/flipIndexedId.test.support.js';

const COUNT = 1_200;
// An entry out of order can hide its neighbours.
const UNINDEXED: unknown = expect.stringMatching(/^\d document\(s\) without an entry in the index of ids$/);
const idOf = (n: number) => `d${String(n).padStart(6, '0')}`;

describe('checkTables', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-check-'));
    file = join(folder, 'millrace.db');
    const database = openDatabase(file);
    database.exec('BEGIN');
    for (const collectionNumber of [1, 2]) {
      createCollectionTables(database, collectionNumber);
      const insert = database.prepare(`INSERT INTO docs_${collectionNumber}(n, id, v, c, j) VALUES(?, ?, 1, ?, '{}')`);
      for (let n = 0; n < COUNT; n++) insert.run(n, idOf(n), rowChecksum(1, idOf(n), '{}'));
    }
    // Leaves no copies of index entries in pages that were split.
    database.exec('COMMIT; VACUUM');
    database.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const change = (sql: string) => {
    const database = openDatabase(file);
    database.exec(sql);
    database.close();
  };
  /** Takes all steps. @returns their number and the damage */
  const check = (ks?: readonly number[]) => {
    const database = openDatabase(file, { readOnly: true });
    try {
      const steps = checkTables(database, ks);
      for (let count = 0; ; count++) {
        const step = steps.next();
        if (step.done === true) return { count, damages: step.value };
      }
    } finally {
      database.close();
    }
  };

  it('finds nothing in intact tables, and yields after each batch of rows', () => {
    expect(check()).toEqual({ count: 6, damages: [] });
    expect(check([2])).toEqual({ count: 3, damages: [] });
  });

  it('leaves out a collection that was dropped meanwhile', () => {
    change('DROP TABLE docs_1');
    expect(check([1, 2]).damages).toEqual([]);
  });

  it('finds a document without an entry in the index, which its rows can repair', () => {
    flipIndexedId(file, idOf(777));
    const [damage, ...others] = check().damages;
    expect(others).toEqual([]);
    expect(damage).toMatchObject({ problem: UNINDEXED, damagedRows: [], duplicates: [], isMendable: true });
  });

  it('does not take the rows for right where one does not match its checksum', () => {
    flipIndexedId(file, idOf(777));
    const damaged = [1, 2]
      .map((collectionNumber) => `UPDATE docs_${collectionNumber} SET j = '[]' WHERE n = 5;`)
      .join('');
    change(damaged);
    const [damage] = check().damages;
    expect(damage).toMatchObject({ damagedRows: [idOf(5)], isMendable: false });
  });

  it('names at most ten damaged rows', () => {
    flipIndexedId(file, idOf(777));
    for (const collectionNumber of [1, 2]) change(`UPDATE docs_${collectionNumber} SET j = '[]' WHERE n < 100`);
    expect(check().damages[0]?.damagedRows).toHaveLength(10);
  });

  it('names the ids that two documents have', () => {
    flipIndexedId(file, idOf(777));
    for (const collectionNumber of [1, 2]) {
      const sum = rowChecksum(1, idOf(777), '{}');
      try {
        change(
          `INSERT INTO docs_${collectionNumber}(n, id, v, c, j) VALUES(${COUNT}, '${idOf(777)}', 1, ${String(sum)}, '{}')`,
        );
      } catch {
        // The collection whose index is intact refuses it.
      }
    }
    const [damage] = check().damages;
    expect(damage).toMatchObject({ duplicates: [idOf(777)], isMendable: false });
  });
});
