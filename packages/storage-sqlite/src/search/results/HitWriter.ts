import type { JsonObject, JsonValue, SourceFilter } from '@millrace/query';
import type { CollectionRows } from '../index/CollectionRows.js';
import { SourceSelection } from './filterSource.js';

/** One hit before its document is read. */
export interface FoundHit {
  /** The document's row. */
  readonly n: number;
  readonly score: number | null;
  readonly sort: readonly JsonValue[] | undefined;
}

/** Reads the documents of hits and writes hits as JSON text: the text of a whole source is passed on as it is stored. */
export class HitWriter {
  private readonly selection: SourceSelection;

  constructor(
    private readonly rows: CollectionRows,
    private readonly source: SourceFilter,
    /** True for a cursor: documents that died since are looked for among the retained ones. */
    private readonly isFrozen: boolean,
  ) {
    this.selection = new SourceSelection(source);
  }

  /** A `SearchHit` of the kernel's contract, as JSON. */
  write({ n, score, sort }: FoundHit): string {
    const row = this.rows.read(n, this.isFrozen);
    if (row === undefined) throw new Error(`The document of row ${n} is gone`);
    const members = [
      `"id":${JSON.stringify(row.id)}`,
      `"score":${score === null ? 'null' : String(score)}`,
      `"version":${row.version}`,
    ];
    if (this.source.enabled) members.push(`"source":${this.sourceOf(row.json)}`);
    if (sort !== undefined) members.push(`"sort":${JSON.stringify(sort)}`);
    return `{${members.join()}}`;
  }

  /** The document as `top_hits` shows it. */
  read(n: number): {
    readonly id: string;
    readonly version: number;
    readonly source: JsonObject | undefined;
  } {
    const row = this.rows.read(n, this.isFrozen);
    if (row === undefined) throw new Error(`The document of row ${n} is gone`);
    const source = this.source.enabled
      ? (JSON.parse(this.sourceOf(row.json)) as JsonObject)
      : undefined;
    return { id: row.id, version: row.version, source };
  }

  private sourceOf(json: string): string {
    if (this.selection.selectsAll) return json;
    return JSON.stringify(this.selection.select(JSON.parse(json) as JsonObject));
  }
}
