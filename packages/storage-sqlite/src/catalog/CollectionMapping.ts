import { storageErrors, type CollectionName, type JsonObject } from '@millrace/kernel';
import {
  compileMapping,
  deriveDynamicFields,
  MappingError,
  mergeMapping,
  NULL_SINK,
  parseDocument,
  parseMapping,
  toMappingBody,
  type CompiledMapping,
  type Mapping,
} from '@millrace/query';

/** State of one collection on the main thread. */
export interface Collection {
  readonly name: CollectionName;
  readonly mapping: CollectionMapping;
  /** Number in the names of its tables. A truncate changes it. */
  number: number;
  /** Version of the mapping that is known to be on disk. */
  savedMappingVersion: number;
  /** Former numbers whose documents open cursors still read. */
  readonly formerNumbers: Set<number>;
}

/** The stored JSON text of a mapping. */
export function mappingToJson(mapping: Mapping): string {
  return JSON.stringify(toMappingBody(mapping));
}

/** The mapping of one collection on the main thread, parsed and compiled on first use. */
export class CollectionMapping {
  private parsed: Mapping | undefined;
  private compiled: CompiledMapping | undefined;

  /** @param json the stored text, @param version counts its changes */
  constructor(
    private json: string,
    public version: number,
  ) {}

  get mapping(): Mapping {
    return (this.parsed ??= parseMapping(JSON.parse(this.json) as JsonObject));
  }

  /**
   * Checks a document, and adds its new fields to the mapping at once, so that the next document of the same turn is
   * checked against them.
   * @returns whether fields were added: the mapping must then reach the store before the document
   * @throws DocumentError if a value does not fit; nothing is added then
   */
  admit(source: JsonObject): boolean {
    const compiled = (this.compiled ??= compileMapping(this.mapping));
    if (!parseDocument(compiled, source, NULL_SINK)) return false;
    const additions = deriveDynamicFields(compiled, source);
    if (additions === undefined) return false;
    const merged = mergeMapping(this.mapping, additions);
    const next = compileMapping(merged, compiled);
    // The values of the new fields have not been checked yet.
    parseDocument(next, source, NULL_SINK);
    this.replace(merged, next);
    return true;
  }

  /** @returns whether the mapping changed @throws storage.invalid_mapping if the two contradict each other */
  merge(update: Mapping): boolean {
    const before = this.toJson();
    try {
      const merged = mergeMapping(this.mapping, update);
      if (mappingToJson(merged) === before) return false;
      this.replace(merged);
      return true;
    } catch (error) {
      if (error instanceof MappingError) throw storageErrors.invalid_mapping({ reason: error.message });
      throw error;
    }
  }

  /** The JSON text to store. */
  toJson(): string {
    return this.json;
  }

  private replace(mapping: Mapping, compiled = compileMapping(mapping)): void {
    const json = mappingToJson(mapping);
    this.compiled = compiled;
    this.parsed = mapping;
    this.json = json;
    this.version += 1;
  }
}
