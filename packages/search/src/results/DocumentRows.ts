/** One stored document. */
export interface DocumentRow {
  /** The number of the row. */
  readonly rowNumber: number;
  readonly id: string;
  readonly version: number;
  /** The document as JSON text. */
  readonly json: string;
}

/** Reads the stored documents of one collection. The storage engine implements it. */
export interface DocumentRows<Row extends DocumentRow = DocumentRow> {
  /** @param isFrozen true: the row may have been deleted since the search began */
  read(rowNumber: number, isFrozen: boolean): Row | undefined;
  /** Reads all rows between two numbers, both inclusive, at once. @returns a function that returns each of them */
  readBetween(first: number, last: number): (rowNumber: number) => Row | undefined;
  /** The `DocumentMetadata` of a row that was read, as JSON text. */
  metadataOf(row: Row): string;
  /** The index and the collection named in hits. */
  readName(): { readonly index: string; readonly collection: string };
}
