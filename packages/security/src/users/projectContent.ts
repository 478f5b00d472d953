/*
 * Selects the free properties of a user that can be searched. A property gets its type from the first user who has
 * it, and storing another user must never fail because of that (SEC-47): properties that don't fit the mapping aren't
 * indexed. The whole content is stored elsewhere, as a JSON string.
 *
 * Users choose their properties freely, so the work is bounded: all properties are tried together, and only if they
 * don't fit is the list halved repeatedly, until each misfit is isolated. A try takes time proportional to the
 * mapping's size; once the tries are used up, the remaining properties aren't indexed.
 */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import {
  compileMapping,
  deriveDynamicFields,
  DocumentError,
  MappingError,
  mergeMapping,
  METADATA_FIELDS,
  NULL_SINK,
  parseDocument,
  type CompiledMapping,
  type Mapping,
} from '@millrace/query';

const MAX_PROPERTIES = 500;
const MAX_TRIES = 40;
const MAX_PARTS = 2_000;

/**
 * @param maxFields properties that would make the mapping larger than this are omitted
 * @returns the properties that an engine with this mapping accepts, in their order
 */
export function projectContent(mapping: Mapping, content: JsonObject, maxFields = Infinity): JsonObject {
  let compiled = compileMapping(mapping);
  let triesLeft = MAX_TRIES;
  const take = (entries: readonly (readonly [string, JsonValue])[]): typeof entries => {
    if (entries.length === 0 || triesLeft === 0) return [];
    triesLeft--;
    const next = afterTaking(compiled, Object.fromEntries(entries), maxFields);
    if (next !== undefined) {
      compiled = next;
      return entries;
    }
    if (entries.length === 1) return [];
    const middle = entries.length >> 1;
    return [...take(entries.slice(0, middle)), ...take(entries.slice(middle))];
  };
  const few = Object.entries(content).slice(0, MAX_PROPERTIES);
  return Object.fromEntries(take(few.filter(([, value]) => isSmall(value))));
}

/** False for a value with so many parts that validating it repeatedly would take noticeable time. */
function isSmall(value: JsonValue): boolean {
  const open: JsonValue[] = [value];
  for (let seen = 0; seen < MAX_PARTS; seen++) {
    const next = open.pop();
    if (next === undefined) return true;
    if (typeof next !== 'object' || next === null) continue;
    const parts = Object.values(next) as readonly JsonValue[];
    if (parts.length > MAX_PARTS) return false;
    open.push(...parts);
  }
  return false;
}

/** The mapping after storing the document; undefined if the document doesn't fit. */
function afterTaking(compiled: CompiledMapping, document: JsonObject, maxFields: number): CompiledMapping | undefined {
  try {
    if (!parseDocument(compiled, document, NULL_SINK)) return compiled;
    const additions = deriveDynamicFields(compiled, document);
    if (additions === undefined) return compiled;
    const next = compileMapping(mergeMapping(compiled.mapping, additions), compiled);
    if (next.fields.size - METADATA_FIELDS.size > maxFields) return undefined;
    parseDocument(next, document, NULL_SINK);
    return next;
  } catch (error) {
    if (error instanceof DocumentError || error instanceof MappingError) return undefined;
    throw error;
  }
}
