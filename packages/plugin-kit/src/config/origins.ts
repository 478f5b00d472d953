const ORIGIN = /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#\s,]+|null)$/i;

/**
 * Parses the origins whose pages may use an entrypoint, as a list or separated by commas.
 * @returns `*` for any origin, else the list in lower case; undefined if an entry is no origin
 */
export function parseOrigins(value: unknown): '*' | readonly string[] | undefined {
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined;
  const texts: readonly unknown[] = typeof value === 'string' ? value.split(',') : value;
  const origins = new Set<string>();
  for (const text of texts) {
    if (typeof text !== 'string') return undefined;
    const origin = text.trim();
    if (origin === '') continue;
    if (origin !== '*' && !ORIGIN.test(origin)) return undefined;
    origins.add(origin.toLowerCase());
  }
  return origins.has('*') ? '*' : [...origins];
}

/** Format of a configuration value that `parseOrigins` parses. */
export function webOrigins(value: unknown): void {
  if (parseOrigins(value) === undefined) {
    throw new Error('must be "*", or origins such as "https://app.example" as a list or separated by commas');
  }
}
