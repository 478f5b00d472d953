import type { CollectionName, JsonObject } from '@millrace/kernel';
import { parseMapping, type Mapping } from '@millrace/query';
import { openDatabase, withDatabase } from '../openDatabase.js';
import { readCollectionRows } from '../schema/catalogTables.js';
import { readDocumentRow } from '../storedText.js';

/** Rows read at a time. */
const PAGE_ROWS = 500;

/** A collection of a copied database. */
export interface CopiedCollection {
  readonly mapping: Mapping;
  /** All documents, page by page; closes the file at the end. @throws Error naming a damaged document */
  pages(): Iterable<readonly { readonly id: string; readonly source: JsonObject }[]>;
}

/** @returns undefined if the copy has no such collection */
export function readCopiedCollection(
  file: string,
  { index, collection }: CollectionName,
): CopiedCollection | undefined {
  const row = withDatabase(file, { readOnly: true }, readCollectionRows).find(
    (each) => each.index === index && each.collection === collection,
  );
  if (row === undefined) return undefined;
  return {
    mapping: parseMapping(JSON.parse(row.mapping) as JsonObject),
    pages: () => pagesOf(file, row.collectionNumber),
  };
}

function* pagesOf(file: string, collectionNumber: number) {
  const database = openDatabase(file, { readOnly: true });
  try {
    const page = database.prepare(
      `SELECT n, id, v, c, j FROM docs_${collectionNumber} WHERE n > ? ORDER BY n LIMIT ${PAGE_ROWS}`,
    );
    for (let after = 0; ;) {
      const rows = page.all(after);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = Number(last['n']);
      yield rows.map((row) => {
        const document = readDocumentRow(String(row['id']), Number(row['v']), row['c'], String(row['j']));
        if (document === undefined) throw new Error(`document ${JSON.stringify(row['id'])} of the backup is damaged`);
        return { id: document.id, source: JSON.parse(document.json) as JsonObject };
      });
    }
  } finally {
    database.close();
  }
}
