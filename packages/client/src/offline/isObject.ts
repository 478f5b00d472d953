/** Whether a JSON value is an object with members, not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return value instanceof Object && !Array.isArray(value);
}
