import type { JsonObject, JsonValue } from '@millrace/language';
import { SourceSelection, type FieldSet, type SourceFilter } from '@millrace/query';
import type { Deadline } from '../Deadline.js';
import type { Highlighter } from '../highlight/Highlighter.js';
import type { HitFields } from '../view/hitFields.js';
import type { DocumentRow, DocumentRows } from './DocumentRows.js';
import type { InnerHitsWriter } from './InnerHitsWriter.js';
import type { PackedTexts } from './packTexts.js';

/** The result of a task of the search thread. */
export interface WrittenOutcome {
  /** JSON text. For a search or a page: its `SearchOutcome`, without the sources of its hits. */
  readonly json: string;
  /** The sources of the hits as stored: parsed only when used. */
  readonly sources?: readonly string[] | PackedTexts;
  /** The list of hits as clients receive it, as JSON; `json` then has none. A long one is UTF-8. */
  readonly hits?: string | Uint8Array<ArrayBuffer>;
  /** JSON of the aggregations, with `hits`. */
  readonly aggregations?: string;
}

/** Fewer hits are read one by one. */
const MIN_TOGETHER = 50;
/** Rows between hits are read in vain: at most this many per hit. */
const MAX_SPREAD = 1.5;

/** One hit before its document is read. */
export interface FoundHit {
  /** The document's row. */
  readonly rowNumber: number;
  readonly slot: number;
  readonly score: number | null;
  readonly sort: readonly JsonValue[] | undefined;
}

/** Parts of hits in addition to their document, and the fields that they show. */
export interface HitExtras {
  readonly highlighter: Highlighter | undefined;
  readonly innerHits: InnerHitsWriter | undefined;
  /** Undefined: all. */
  readonly fields: HitFields | undefined;
}

/** One hit as JSON text. */
interface WrittenHit {
  /** A `SearchHit` of the kernel's contract, without its source. */
  readonly json: string;
  /** As stored, if it is returned completely. */
  readonly source: string | undefined;
}

/** The form in which clients receive hits (SEARCH-10). */
export interface WireForm {
  readonly name: { readonly index: string; readonly collection: string };
  readonly showsVersion: boolean;
}

/** Reads the documents of hits and writes hits as JSON text; a complete source is passed on as stored. */
export class HitWriter {
  private readonly selection: SourceSelection;
  /** Rows read together. */
  private ready: ((rowNumber: number) => DocumentRow | undefined) | undefined;

  constructor(
    private readonly rows: DocumentRows,
    private readonly source: SourceFilter,
    /** True for a cursor: documents deleted since are looked up among the retained ones. */
    private readonly isFrozen: boolean,
    private readonly extras?: HitExtras,
  ) {
    this.selection = new SourceSelection(source);
  }

  /** Reads the documents of hits with close rows at once. Must be followed by `write` for each. */
  prepare(hits: readonly FoundHit[]): void {
    this.ready = undefined;
    const [first, last] = [hits[0]?.rowNumber ?? 0, hits.at(-1)?.rowNumber ?? 0];
    const isDense = hits.length >= MIN_TOGETHER && last - first < hits.length * MAX_SPREAD;
    if (!isDense || last < first) return;
    this.ready = this.rows.readBetween(first, last);
  }

  /** @param deadline of the page */
  write(hit: FoundHit, deadline: Deadline): WrittenHit {
    const row = this.rowOf(hit, deadline);
    const fields = this.fieldsOf(hit);
    let json = `{"id":${JSON.stringify(row.id)},"score":${hit.score},"version":${row.version}`;
    json += `,"meta":${this.rows.metadataOf(row)}`;
    json += this.membersOf(hit, row, 'innerHits', deadline);
    return { json: `${json}}`, source: this.shownOf(row, fields) };
  }

  /** The whole hit as clients receive it. @param deadline of the page */
  writeWire(hit: FoundHit, { name, showsVersion }: WireForm, deadline: Deadline): string {
    const row = this.rowOf(hit, deadline);
    const source = this.shownOf(row, this.fieldsOf(hit));
    // Validated names need no escapes (DOC-1).
    let json = `{"_index":"${name.index}","_type":"${name.collection}","_id":${JSON.stringify(row.id)}`;
    json += `,"_score":${hit.score}`;
    if (source !== undefined) json += `,"_source":${source}`;
    json += `,"_meta":${this.rows.metadataOf(row)}`;
    json += this.membersOf(hit, row, 'inner_hits', deadline);
    if (showsVersion) json += `,"_version":${row.version}`;
    return `${json}}`;
  }

  private rowOf({ rowNumber }: FoundHit, deadline: Deadline): DocumentRow {
    deadline.check();
    const row = this.ready?.(rowNumber) ?? this.rows.read(rowNumber, this.isFrozen);
    if (row === undefined) throw new Error(`The document of row ${rowNumber} is gone`);
    return row;
  }

  /** Null: the hit shows all. */
  private fieldsOf({ slot }: FoundHit): FieldSet | null {
    return this.extras?.fields?.(slot) ?? null;
  }

  private shownOf(row: DocumentRow, fields: FieldSet | null): string | undefined {
    return this.source.enabled ? this.sourceOf(row.json, fields) : undefined;
  }

  /** Its `sort`, highlights and inner hits, each after a comma. */
  private membersOf(
    hit: FoundHit,
    row: DocumentRow,
    innerHitsName: 'innerHits' | 'inner_hits',
    deadline: Deadline,
  ): string {
    const { slot, sort } = hit;
    let json = sort === undefined ? '' : `,"sort":${JSON.stringify(sort)}`;
    const { highlighter, innerHits } = this.extras ?? {};
    if (highlighter === undefined && innerHits === undefined) return json;
    const source = JSON.parse(row.json) as JsonObject;
    const highlight = highlighter?.highlight(slot, source);
    if (highlight !== undefined) json += `,"highlight":${JSON.stringify(highlight)}`;
    const document = { id: row.id, source, fields: this.fieldsOf(hit), ...this.rows.readName() };
    const inner = innerHits?.write(slot, document, deadline);
    if (inner !== undefined) json += `,"${innerHitsName}":${JSON.stringify(inner)}`;
    return json;
  }

  /** The document as `top_hits` returns it. */
  read(rowNumber: number): {
    readonly id: string;
    readonly version: number;
    /** The whole document as stored. */
    readonly json: string;
    /** The same, parsed. */
    readonly whole: JsonObject;
    /** The returned part. */
    readonly source: JsonObject | undefined;
  } {
    const row = this.rows.read(rowNumber, this.isFrozen);
    if (row === undefined) throw new Error(`The document of row ${rowNumber} is gone`);
    const whole = JSON.parse(row.json) as JsonObject;
    const source = this.source.enabled ? this.selection.select(whole) : undefined;
    return { id: row.id, version: row.version, json: row.json, whole, source };
  }

  private sourceOf(json: string, fields: FieldSet | null): string {
    if (this.selection.isWhole && fields === null) return json;
    return JSON.stringify(this.selection.show(JSON.parse(json) as JsonObject, fields));
  }
}
