import type { JsonValue } from '@millrace/kernel';
import type { SpecifiedField } from './Specification.js';

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
