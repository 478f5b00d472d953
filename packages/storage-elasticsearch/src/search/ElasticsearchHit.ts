import type { DocumentMetadata, JsonObject, JsonValue } from '@millrace/kernel';
import { METADATA_FIELDS, selectFields, type FieldSet } from '@millrace/query';
import { DOCUMENT_METADATA, METADATA, readMetadata, VERSION_FIELD } from '../client/METADATA.js';

/** `"Infinity"` for scores that exceed a 32-bit float. */
export type ElasticsearchScore = number | string | null;

const MAX_SCORE = 3.402_823_5e38;

/** A score as a number: an infinite one becomes the largest possible score. */
export function scoreOf(score: ElasticsearchScore): number | null {
  return typeof score === 'string' ? MAX_SCORE : score;
}

/** A hit as Elasticsearch returns it. */
export interface ElasticsearchHit {
  readonly _id: string;
  readonly _score: ElasticsearchScore;
  readonly _source?: JsonObject;
  readonly _nested?: JsonObject;
  readonly fields?: { readonly [name: string]: readonly JsonValue[] };
  readonly sort?: readonly JsonValue[];
  readonly highlight?: JsonObject;
  readonly matched_queries?: readonly string[];
  readonly inner_hits?: { readonly [name: string]: { readonly hits: ElasticsearchHits } };
}

/** `hits` as Elasticsearch returns them. */
export interface ElasticsearchHits {
  readonly total?: { readonly value: number };
  readonly max_score: ElasticsearchScore;
  readonly hits: readonly ElasticsearchHit[];
}

/** The document without the engine's metadata. */
export function withoutMetadata(source: JsonObject): JsonObject {
  const { [METADATA]: _, [DOCUMENT_METADATA]: __, ...own } = source;
  return own;
}

/**
 * The part of a document, or of an object in it, that is shown.
 * @param fields null: all
 * @param nested the place of the object, as Elasticsearch describes it
 */
export function shownSource(source: JsonObject, fields: FieldSet | null, nested?: JsonObject): JsonObject {
  return fields === null ? source : selectFields(source, fields, nested && pathOf(nested));
}

function pathOf(nested: JsonObject): string {
  const { field, _nested: deeper } = nested as { field: string; _nested?: JsonObject };
  return deeper === undefined ? field : `${field}.${pathOf(deeper)}`;
}

/** The version returned with a hit. */
export function versionOf({ fields }: Pick<ElasticsearchHit, 'fields'>): number {
  const version = fields?.[VERSION_FIELD]?.[0];
  return typeof version === 'number' ? version : 1;
}

/** The metadata returned with a hit. */
export function metadataOf({ fields = {} }: Pick<ElasticsearchHit, 'fields'>): DocumentMetadata {
  const found: Record<string, JsonValue> = {};
  for (const [field, type] of METADATA_FIELDS) {
    const value = fields[field]?.[0];
    // Times are returned as strings.
    if (value !== undefined) {
      found[field.slice(DOCUMENT_METADATA.length + 1)] = type === 'date' ? Number(value) : value;
    }
  }
  return readMetadata(found);
}
