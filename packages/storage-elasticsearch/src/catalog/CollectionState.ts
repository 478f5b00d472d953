import type { CompiledMapping, JsonObject, Mapping } from '@millrace/query';

/** What is known of a collection that exists. */
export interface CollectionState {
  /** The server index behind its alias. */
  readonly physical: string;
  /** In our terms: as it was given, and what documents have added. */
  readonly mapping: Mapping;
  readonly compiled: CompiledMapping;
  /** As the server has it. */
  readonly serverMapping: JsonObject;
}
