/*
 * Which free properties of a user can be searched. Properties get their type from the first user who has them, and
 * another user's must never fail over that (decisions.md section 7): so each property is tried against the mapping as
 * it would be after the ones before, and what doesn't fit is left out of what is indexed. The whole content is kept
 * elsewhere, as text.
 */
import type { JsonObject } from '@millrace/kernel';
import {
  compileMapping,
  deriveDynamicFields,
  DocumentError,
  MappingError,
  mergeMapping,
  NULL_SINK,
  parseDocument,
  type CompiledMapping,
  type Mapping,
} from '@millrace/query';

/** @returns the properties that an engine with this mapping takes, in their order */
export function projectContent(mapping: Mapping, content: JsonObject): JsonObject {
  let compiled = compileMapping(mapping);
  const kept = Object.entries(content).filter(([key, value]) => {
    const next = afterTaking(compiled, Object.fromEntries([[key, value]]));
    if (next === undefined) return false;
    compiled = next;
    return true;
  });
  return Object.fromEntries(kept);
}

/** The mapping once the document is in; undefined where the document doesn't fit. */
function afterTaking(compiled: CompiledMapping, document: JsonObject): CompiledMapping | undefined {
  try {
    if (!parseDocument(compiled, document, NULL_SINK)) return compiled;
    const additions = deriveDynamicFields(compiled, document);
    if (additions === undefined) return compiled;
    const next = compileMapping(mergeMapping(compiled.mapping, additions), compiled);
    parseDocument(next, document, NULL_SINK);
    return next;
  } catch (error) {
    if (error instanceof DocumentError || error instanceof MappingError) return undefined;
    throw error;
  }
}
