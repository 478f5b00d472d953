/*
 * Several fuzzy words may find the same term. A server makes one clause of it then, and which word it goes by differs from
 * start to start. Not so where two words have to match: what has that term does.
 */
import type { JsonObject, JsonValue } from '@millrace/kernel';
import type { RequestBody } from './Answer.js';

/** A request in which each word scores by itself; undefined where that is so already, or no word is fuzzy. */
export function apartByWord(request: RequestBody): RequestBody | undefined {
  const text = JSON.stringify(request);
  if (!/"fuzziness"|"fuzzy"|~/.test(text)) return undefined;
  const apart = changed(request) as RequestBody;
  return JSON.stringify(apart) === text ? undefined : apart;
}

const BY_FIELD = /^match(_bool_prefix)?$/;
const BY_WORD = /^(multi_match|(simple_)?query_string)$/;

function changed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(changed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]): [string, JsonValue] => {
      if (!isObject(inner)) return [key, changed(inner)];
      if (BY_FIELD.test(key)) {
        const fields = Object.entries(inner).map(([field, options]): [string, JsonValue] => [
          field,
          isObject(options) ? withMinimum(options) : options,
        ]);
        return [key, Object.fromEntries(fields)];
      }
      if (BY_WORD.test(key)) return [key, withMinimum(inner)];
      const isChoice =
        key === 'bool' && Array.isArray(inner['should']) && inner['should'].length > 1;
      const options = changed(inner) as JsonObject;
      return [key, isChoice ? withMinimum(options) : options];
    }),
  );
}

/** What asks for more already is left as it is. */
function withMinimum(options: JsonObject): JsonObject {
  const { minimum_should_match: minimum } = options;
  const isFree = minimum === undefined || minimum === 0 || minimum === 1;
  return isFree ? { ...options, minimum_should_match: 2 } : options;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
