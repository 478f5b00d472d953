import type { JsonObject } from '@millrace/language';
import type { CompiledMapping, Mapping } from '@millrace/query';

/** Cached state of an existing collection. */
export interface CollectionState {
  /** The Elasticsearch index behind its alias. */
  readonly physical: string;
  /** The mapping in our terms: as it was given, plus the fields that documents have added. */
  readonly mapping: Mapping;
  readonly compiled: CompiledMapping;
  /** The mapping as Elasticsearch returns it. */
  readonly elasticsearchMapping: JsonObject;
}
