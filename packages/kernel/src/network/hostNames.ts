import { hostnameOf } from './hostnameOf.js';

/**
 * Parses host names without a port, as a list or separated by commas.
 * @returns in lower case; undefined if an entry is no host name
 */
export function parseHostNames(value: unknown): ReadonlySet<string> | undefined {
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined;
  const entries: readonly unknown[] = typeof value === 'string' ? value.split(',') : value;
  const names = new Set<string>();
  for (const entry of entries) {
    if (typeof entry !== 'string') return undefined;
    const name = entry.trim().toLowerCase();
    if (name === '') continue;
    // An asterisk would look like a pattern.
    if (name.includes('*') || hostnameOf(name) !== name) return undefined;
    names.add(name);
  }
  return names;
}

/** Format of a configuration value that `parseHostNames` parses. */
export function hostNames(value: unknown): void {
  if (parseHostNames(value) === undefined) {
    throw new Error(
      'must be host names without scheme and port, such as "data.example", as a list or separated by commas',
    );
  }
}
