import type { CollectionName, JsonObject } from '@millrace/kernel';

/** A record written by the security controller. */
export interface WrittenRecord {
  readonly id: string;
  readonly version: number;
  /** Absent for updates, whose result omits it. */
  readonly isNew?: boolean;
  /** The whole new content, without secrets. */
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
