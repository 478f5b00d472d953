import type { JsonObject } from '../../json/Json.js';
import type { CollectionName, SearchHit } from './StorageEngine.js';

/** A hit as clients receive it (SEARCH-10). @param showsVersion `version: true` in the request */
export function toWireHit(
  { id, score, source, version, meta, sort, highlight, innerHits }: SearchHit,
  { index, collection }: CollectionName,
  showsVersion: boolean,
): JsonObject {
  return {
    _index: index,
    _type: collection,
    _id: id,
    _score: score,
    ...(source !== undefined && { _source: source }),
    _meta: { ...meta },
    ...(sort !== undefined && { sort }),
    ...(highlight !== undefined && { highlight }),
    ...(innerHits !== undefined && { inner_hits: innerHits }),
    ...(showsVersion && { _version: version }),
  };
}
