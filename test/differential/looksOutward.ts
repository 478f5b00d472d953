/*
 * From nested objects, `nested` of the same path again or of one around it: a server takes the next object there is for the
 * one around, and so looks at another one.
 */

/** Whether a request asks so, in a query, a sort or an aggregation. */
export function looksOutward(value: unknown, around = ''): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => looksOutward(item, around));
  const parts = value as Readonly<Record<string, unknown>>;
  if ('reverse_nested' in parts) return Object.values(parts).some((inner) => looksOutward(inner));
  const path = pathOf(parts['nested']);
  if (path !== undefined && around !== '' && `${around}.`.startsWith(`${path}.`)) return true;
  // Aggregations below one of nested objects stand beside it, queries inside.
  return Object.values(parts).some((inner) => looksOutward(inner, path ?? around));
}

function pathOf(nested: unknown): string | undefined {
  const isObject = typeof nested === 'object' && nested !== null;
  return isObject && 'path' in nested ? String(nested.path) : undefined;
}
