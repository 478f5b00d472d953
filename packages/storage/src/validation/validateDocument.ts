import { evaluateFilter } from '@millrace/filters';
import type { JsonObject, ValidationReport } from '@millrace/kernel';
import { applyDefaults } from './applyDefaults.js';
import { findFaults, type DocumentFault } from './findFaults.js';
import type { Specification } from './Specification.js';
import { toErrorTree } from './toErrorTree.js';

/** A document to store, or only to validate. */
export interface CheckedDocument {
  readonly source: JsonObject;
  /** `_id`, if it has one. */
  readonly id?: string | undefined;
  /** The body of an update. */
  readonly changes?: JsonObject | undefined;
  readonly nowMs: number;
}

/** The result of the check before a write: the content with defaults, or the first fault. */
export type Admission = { readonly source: JsonObject; readonly fault?: undefined } | { readonly fault: DocumentFault };

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
