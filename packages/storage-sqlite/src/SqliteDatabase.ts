/** A value that SQLite binds or returns. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** A row by column name. Its prototype is null. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A prepared statement. It belongs to its connection and thread. */
export interface SqliteStatement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
  get(...values: readonly SqlValue[]): SqlRow | undefined;
  all(...values: readonly SqlValue[]): SqlRow[];
  /** Rows are returned as arrays of columns from then on: half the cost of objects. */
  setReturnArrays(enabled: boolean): void;
}

/** The part of `node:sqlite` that this package uses and both drivers provide. */
export interface SqliteDatabase {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}
