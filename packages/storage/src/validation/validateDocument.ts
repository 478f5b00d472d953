import { evaluateFilter } from '@millrace/filters';
import { isJsonObject, type JsonObject, type ValidationReport, type JsonValue } from '@millrace/kernel';
import { own } from '@millrace/language';
import type { Specification, SpecificationLevel, SpecifiedField } from './Specification.js';
import { findFaults, type DocumentFault } from './findFaults.js';
import { toErrorTree } from './toErrorTree.js';

/** A document to store, or only to validate. */
interface CheckedDocument {
  readonly source: JsonObject;
  /** `_id`, if it has one. */
  readonly id?: string | undefined;
  /** The body of an update. */
  readonly changes?: JsonObject | undefined;
  readonly nowMs: number;
}

/** The result of the check before a write: the content with defaults, or the first fault. */
type Admission = { readonly source: JsonObject; readonly fault?: undefined } | { readonly fault: DocumentFault };

/** Validates a document and reports every fault (VALID-40). */
export function validateDocument(specification: Specification, document: CheckedDocument): ValidationReport {
  const { source, nowMs } = document;
  const faults = [...findFaults(specification.root, source, nowMs)];
  const filled = applyDefaults(specification.root, source);
  if (!matchesValidators(specification, filled, document.id)) faults.push(VALIDATORS_FAULT);
  return { valid: faults.length === 0, errorMessages: toErrorTree(faults) };
}

/** Validates a document for a write: stops at the first fault, else fills in defaults. */
export function admitDocument(
  specification: Specification,
  { source, id, changes, nowMs }: CheckedDocument,
): Admission {
  const { value: fault } = findFaults(specification.root, source, nowMs).next() as {
    readonly value: DocumentFault | undefined;
  };
  if (fault !== undefined) return { fault };
  const filled = applyDefaults(specification.root, source, changes);
  return matchesValidators(specification, filled, id) ? { source: filled } : { fault: VALIDATORS_FAULT };
}

const VALIDATORS_FAULT: DocumentFault = {
  path: [],
  message: 'Does not match the validation filters.',
};

function matchesValidators({ validators }: Specification, source: JsonObject, id: string | undefined): boolean {
  return validators === undefined || evaluateFilter(validators, source, id);
}

/**
 * Fills in defaults (VALID-25) without modifying the given content.
 * @param changes the body of an update: only its explicit nulls are filled then; absent: every missing or null field
 * @returns the document itself if nothing had to be filled in
 */
function applyDefaults(level: SpecificationLevel, document: JsonObject, changes?: JsonObject): JsonObject {
  let filled: Record<string, JsonValue> | undefined;
  for (const [key, field] of level.fields) {
    const value = own(document, key);
    const given = changes && own(changes, key);
    if (changes !== undefined && given === undefined) continue;
    const next = fillValue(field, value, changes === undefined ? undefined : (given ?? null));
    if (next === value || next === undefined) continue;
    filled ??= { ...document };
    // Defined, not assigned: a key such as `__proto__` is plain data.
    Object.defineProperty(filled, key, {
      value: next,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return filled ?? document;
}

function fillValue(
  { defaultValue, level }: SpecifiedField,
  value: JsonValue | undefined,
  given: JsonValue | undefined,
): JsonValue | undefined {
  if (value === undefined || value === null) return defaultValue ?? value;
  if (level === undefined || level.fields.size === 0) return value;
  if (isJsonObject(value)) {
    return applyDefaults(level, value, isJsonObject(given) ? given : undefined);
  }
  if (typeof value !== 'object') return value;
  const elements: readonly JsonValue[] = value;
  // An update replaces whole arrays, so all their elements, including nulls, come from the request.
  const filled = elements.map((each) =>
    isJsonObject(each) ? applyDefaults(level, each, given === undefined ? undefined : each) : each,
  );
  return filled.some((each, i) => each !== elements[i]) ? filled : value;
}
