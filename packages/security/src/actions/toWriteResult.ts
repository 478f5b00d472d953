import type { CollectionName, JsonObject } from '@millrace/kernel';

/** Something written by the security controller. */
export interface WrittenRecord {
  readonly id: string;
  readonly version: number;
  /** Absent: it was updated, and the result doesn't say. */
  readonly isNew?: boolean;
  /** The whole new content, as anybody may see it. */
  readonly source: JsonObject;
}

/** `{_id, _index, _type, _version, created?, _source}`. */
export function toWriteResult(name: CollectionName, record: WrittenRecord): JsonObject {
  const { id, version, isNew, source } = record;
  return {
    _id: id,
    _index: name.index,
    _type: name.collection,
    _version: version,
    ...(isNew === undefined ? undefined : { created: isNew }),
    _source: source,
  };
}
