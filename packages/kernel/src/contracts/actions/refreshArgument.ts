import type { JsonValue } from '../../json/Json.js';
import { custom, type Argument } from './Argument.js';

const VALUES: JsonValue[] = ['wait_for', 'true', 'false', '', true, false];

/**
 * The `refresh` argument of write actions: true for `wait_for` and `true`, which mean the same; false for `false` and
 * an empty string, which count as absent (PROTO-8).
 */
export function refreshArgument(): Argument<boolean> {
  return custom('"wait_for", "true" or "false"', { enum: VALUES }, (value) =>
    VALUES.includes(value as JsonValue) ? value === 'wait_for' || value === 'true' || value === true : undefined,
  );
}
