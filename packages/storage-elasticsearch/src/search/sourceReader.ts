import type { JsonObject } from '@millrace/language';
import { SourceSelection, type FieldSet, type SourceFilter } from '@millrace/query';
import { withoutMetadata } from './ElasticsearchHit.js';

/**
 * Reads the returned part of a hit's document. If an exclude names a field inside an object or list that becomes empty,
 * version 9 returns it empty and version 8 omits it: we omit it.
 */
export function sourceReader(filter: SourceFilter): (source: JsonObject, fields: FieldSet | null) => JsonObject {
  // Elasticsearch has selected what is included.
  const selection = new SourceSelection(filter.excludes.length === 0 ? { ...filter, includes: [] } : filter);
  return (source, fields) => selection.show(withoutMetadata(source), fields);
}
