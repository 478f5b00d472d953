import type { JsonObject } from '@millrace/language';
import { SourceSelection, type SourceFilter } from '@millrace/query';
import { withoutMetadata } from './ElasticsearchHit.js';

/**
 * Reads the returned part of a hit's document. If an exclude names a field inside an object or list that becomes empty,
 * version 9 returns it empty and version 8 omits it: we omit it.
 */
export function sourceReader(filter: SourceFilter): (source: JsonObject) => JsonObject {
  if (filter.excludes.length === 0) return withoutMetadata;
  const selection = new SourceSelection(filter);
  return (source) => selection.select(withoutMetadata(source));
}
