/*
 * All documents of a collection at one moment, without its search index. The order of rows is the order of writing, which
 * also is that of the index for equal scores. A row that was deleted since the moment is in `old_<k>`; rows that were there
 * before, for other cursors, are remembered by their numbers.
 */
import type { FoundHit, RankedHits } from '@millrace/search';
import type { SqliteDatabase, SqliteStatement } from '../SqliteDatabase.js';

/** A rank, and the number of the row before it. */
interface Place {
  readonly rank: number;
  readonly after: number;
}

/** The documents of a cursor that reads its collection in the order of the table. */
export class TableHits implements RankedHits {
  readonly length: number;
  private readonly lastRow: number;
  /** Rows that were deleted before. */
  private readonly dead: ReadonlySet<number>;
  private readonly nextRows: SqliteStatement;
  /** Where the last page began, and where it ended. */
  private places: readonly [Place, Place] = [
    { rank: 0, after: 0 },
    { rank: 0, after: 0 },
  ];

  /** Call it inside a read transaction, while the writer keeps dying rows. */
  constructor(database: SqliteDatabase, collectionNumber: number) {
    const prepare = (sql: string) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    const [docs, old] = [`docs_${collectionNumber}`, `old_${collectionNumber}`];
    const bounds = prepare(`SELECT count(*), (SELECT max(n) FROM ${docs}) FROM ${docs}`);
    const [length, last] = bounds.get() as unknown as readonly [number, number | null];
    this.length = length;
    this.lastRow = last ?? 0;
    this.dead = new Set(numbersOf(prepare(`SELECT n FROM ${old}`).all()));
    this.nextRows = prepare(
      `SELECT n FROM ${docs} WHERE n > ?1 AND n <= ?2 UNION ALL SELECT n FROM ${old} WHERE n > ?1 AND n <= ?2 ORDER BY n LIMIT ?3`,
    );
  }

  get maxScore(): number | null {
    return this.length === 0 ? null : 1;
  }

  /** Call it inside a read transaction. @param from the end of the last page, or its beginning */
  hits(from: number, to: number): FoundHit[] {
    const begin = this.places.find(({ rank }) => rank === from);
    if (begin === undefined) throw new Error(`No page begins at rank ${from}`);
    const hits: FoundHit[] = [];
    let { after } = begin;
    while (from + hits.length < to && after < this.lastRow) {
      const limit = to - from - hits.length;
      const rows = numbersOf(this.nextRows.all(after, this.lastRow, limit));
      after = rows.at(-1) ?? this.lastRow;
      for (const rowNumber of rows)
        if (!this.dead.has(rowNumber)) hits.push({ rowNumber, slot: -1, score: 1, sort: undefined });
    }
    this.places = [begin, { rank: from + hits.length, after }];
    return hits;
  }
}

function numbersOf(rows: readonly unknown[]): number[] {
  return (rows as readonly (readonly [number])[]).map(([rowNumber]) => rowNumber);
}
