/*
 * Which free properties of a user can be searched. Properties get their type from the first user who has them, and
 * another user's must never fail over that (SEC-47): what doesn't fit the mapping is left out of what is
 * indexed. The whole content is kept elsewhere, as text.
 *
 * Every user may choose their properties, so the cost has a bound: all are tried together, and only where they don't fit
 * is the list halved, again and again, until the misfits stand alone. Each try costs about as much as the mapping is
 * large; when the tries are used up, the rest is not indexed.
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
 * @param maxFields a property that would make the mapping larger than this is left out
 * @returns the properties that an engine with this mapping takes, in their order
 */
export function projectContent(
  mapping: Mapping,
  content: JsonObject,
  maxFields = Infinity,
): JsonObject {
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

/** False for a value with so many parts that looking through it again and again would be felt. */
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

/** The mapping once the document is in; undefined where the document doesn't fit. */
function afterTaking(
  compiled: CompiledMapping,
  document: JsonObject,
  maxFields: number,
): CompiledMapping | undefined {
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
