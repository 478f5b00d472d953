import type { JsonValue } from '@millrace/language';
import type { SourceFilter } from '@millrace/query';
import { METADATA_PROPERTIES } from '../client/METADATA.js';

/** `_source` for Elasticsearch. Whole documents include the engine's metadata, which the reader removes. */
export function toSourceFilter({ enabled, includes, excludes }: SourceFilter): JsonValue {
  if (!enabled) return false;
  if (includes.length === 0 && excludes.length === 0) return true;
  return {
    ...(includes.length === 0 ? {} : { includes }),
    excludes: [...excludes, ...Object.keys(METADATA_PROPERTIES)],
  };
}
