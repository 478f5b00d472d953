import type { JsonObject, JsonValue } from '@millrace/language';

/** What a reader doesn't need, and what isn't JSON. */
const HIDDEN: ReadonlySet<string> = new Set(['kind', 'path', 'accepts', 'innerHits']);
/** Longer lists of values are cut. */
const MAX_VALUES = 20;

/**
 * A bound query as JSON for people: `{<kind>: {…}}`, with the field and its type, the words and values as they are
 * compared, and every default that matters. It is not a query that a search takes.
 */
export function describeQuery(query: object): JsonObject {
  const entries = Object.entries(query)
    .filter(([key, value]) => !HIDDEN.has(key) && isShown(key, value))
    .flatMap(([key, value]) => (key === 'mapped' ? fieldOf(value) : [[key, describe(value)]]));
  const { kind } = query as { readonly kind: string };
  return { [kind]: Object.fromEntries(entries) as JsonObject };
}

function isShown(key: string, value: unknown): boolean {
  if (key === 'boost') return value !== 1;
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}

function fieldOf(mapped: unknown): [string, JsonValue][] {
  const { name, type } = mapped as { readonly name: string; readonly type: string };
  return [
    ['field', name],
    ['type', type],
  ];
}

function describe(value: unknown): JsonValue {
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_VALUES).map(describe);
    return value.length > MAX_VALUES ? [...shown, `and ${value.length - MAX_VALUES} more`] : shown;
  }
  if (typeof value === 'object' && value !== null) {
    if ('kind' in value && 'path' in value) return describeQuery(value);
    if ('ordinal' in value) return (value as { readonly name?: JsonValue }).name ?? null;
    const own = Object.entries(value).filter(([key]) => key !== 'path');
    return Object.fromEntries(own.map(([key, each]) => [key, describe(each)]));
  }
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return isScalar(value) ? value : null;
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
