import { SourceSelection, type JsonObject, type SourceFilter } from '@millrace/query';
import { withoutMetadata } from './ServerHit.js';

/**
 * Reads what a hit shows of its document. Servers of version 9 keep empty objects and lists where an exclude speaks of
 * something below them, those of 8 leave them out: as 8.
 */
export function sourceReader(filter: SourceFilter): (source: JsonObject) => JsonObject {
  if (filter.excludes.length === 0) return withoutMetadata;
  const selection = new SourceSelection(filter);
  return (source) => selection.select(withoutMetadata(source));
}
