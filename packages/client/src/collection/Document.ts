import type { DocumentMetadata, JsonObject, JsonValue } from '@millrace/actions';

/** A stored document. */
export interface Document<T> {
  readonly id: string;
  /** Counts the changes of the document, from 1; see `ifVersion`. */
  readonly version: number;
  readonly source: T;
  /** When the document was created and last changed, and by which users. */
  readonly meta: DocumentMetadata;
}

/** A document that a search found. */
export interface Hit<T> extends Document<T> {
  /** Null if the search has a `sort`. */
  readonly score: number | null;
  /** Values of the criteria of `sort`, for `search_after`. */
  readonly sort?: readonly JsonValue[];
  /** Fragments with matches by field. */
  readonly highlight?: Readonly<Record<string, readonly string[]>>;
  readonly innerHits?: JsonObject;
}

/** A document as the server returns it. */
export interface WireDocument {
  readonly _id: string;
  readonly _version: number;
  readonly _source: unknown;
  readonly _meta: DocumentMetadata;
}

/** A hit as the server returns it. */
export interface WireHit extends WireDocument {
  readonly _score: number | null;
  readonly sort?: readonly JsonValue[];
  readonly highlight?: Readonly<Record<string, readonly string[]>>;
  readonly inner_hits?: JsonObject;
}

/** A document as the collection returns it. */
export function toDocument<T>({ _id, _version, _source, _meta }: WireDocument): Document<T> {
  return { id: _id, version: _version, source: _source as T, meta: _meta };
}

/** A hit as the collection returns it. */
export function toHit<T>(hit: WireHit): Hit<T> {
  const { _score, sort, highlight, inner_hits } = hit;
  return {
    ...toDocument<T>(hit),
    score: _score,
    ...(sort && { sort }),
    ...(highlight && { highlight }),
    ...(inner_hits && { innerHits: inner_hits }),
  };
}
