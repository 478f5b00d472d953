import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { own } from '@millrace/language';
import type { SpecificationLevel, SpecifiedField } from './Specification.js';

/** One fault of a document. An empty path means the document itself. */
export interface DocumentFault {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * The faults of a document's fields in the order of VALID-10: root fields first, then depth first. A write takes only
 * the first one, so the rest isn't computed.
 */
export function* findFaults(root: SpecificationLevel, document: JsonObject, nowMs: number): Generator<DocumentFault> {
  if (holdsUndeclared(root, document)) {
    yield { path: [], message: 'The document holds fields that are not declared (strict mode).' };
    return;
  }
  const sound: SpecifiedField[] = [];
  for (const field of root.fields.values()) {
    const message = checkPresentField(field, document, nowMs);
    if (message === undefined) sound.push(field);
    else yield { path: field.path, message };
  }
  for (const field of sound) yield* findBelow(field, document, nowMs);
}

/** The faults inside the objects of a valid field. */
function* findBelow(field: SpecifiedField, holder: JsonObject, nowMs: number): Generator<DocumentFault> {
  const { level } = field;
  if (level === undefined || level.fields.size === 0) return;
  for (const object of objectsOf(readKey(holder, field))) {
    if (holdsUndeclared(level, object)) {
      const message = 'Holds sub-fields that are not declared (strict mode).';
      yield { path: field.path, message };
      continue;
    }
    for (const child of level.fields.values()) {
      const message = checkPresentField(child, object, nowMs);
      if (message === undefined) yield* findBelow(child, object, nowMs);
      else yield { path: child.path, message };
    }
  }
}

/** Presence, multiplicity and type of one field. */
function checkPresentField(field: SpecifiedField, holder: JsonObject, nowMs: number): string | undefined {
  const value = readKey(holder, field);
  if (value !== undefined && value !== null) return checkField(field, value, nowMs);
  const isLacking = field.isMandatory && field.defaultValue === undefined;
  return isLacking ? 'Required field is missing or null.' : undefined;
}

function holdsUndeclared({ isStrict, fields }: SpecificationLevel, object: JsonObject): boolean {
  return isStrict && Object.keys(object).some((key) => !fields.has(key));
}

function readKey(holder: JsonObject, { path }: SpecifiedField): JsonValue | undefined {
  return own(holder, path[path.length - 1] ?? '');
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  if (isJsonObject(value)) return [value];
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

type Checked = Pick<SpecifiedField, 'type' | 'counts'>;

/** Checks multiplicity and type of a present value (VALID-13, VALID-20). @returns the message */
export function checkField({ type, counts }: Checked, value: JsonValue, nowMs: number): string | undefined {
  if (!Array.isArray(value)) {
    return counts === undefined ? type.check(value, nowMs) : 'Expected an array of values.';
  }
  if (counts === undefined) return 'Expected one value, got an array.';
  if (value.length < counts.min) return `Expected at least ${counts.min} values.`;
  if (value.length > counts.max) return `Expected at most ${counts.max} values.`;
  for (const each of value as readonly JsonValue[]) {
    const isNull = each === null && type.takesNull !== true;
    const message = isNull ? 'A list of values must not hold null.' : type.check(each, nowMs);
    if (message !== undefined) return message;
  }
  return undefined;
}
