import { isJsonObject, type JsonValue, own } from '@millrace/language';
import type { Reference } from '../Filter.js';
import { refusal, type ParseContext } from './ParseContext.js';
import { MAX_FIELD_LENGTH } from './readField.js';

const KEY = '$ref';

/**
 * Parses `{$ref: "<path>"}` in place of a value, if the filter may contain references.
 * @returns undefined for any other value
 */
export function readReference(
  context: ParseContext,
  value: JsonValue | undefined,
  field: string,
): Reference | undefined {
  if (!context.allowsReferences || !isJsonObject(value)) return undefined;
  const path = own(value, KEY);
  const isAlone = Object.keys(value).length === 1;
  const isPath = typeof path === 'string' && path !== '' && path.length <= MAX_FIELD_LENGTH;
  if (isAlone && isPath) return { path };
  const reason = `expected a value or {"${KEY}": "<path>"} with a path of 1 to ${MAX_FIELD_LENGTH} characters`;
  throw refusal(context, reason, field);
}
