import { run } from '../connection.js';

/** A value that documents have in a field. */
export interface FieldValue {
  readonly value: string;
  /** Number of those documents. */
  readonly count: number;
}

const MAX_VALUES = 20;
/** As the server allows for patterns, of which each letter takes four characters. */
const MAX_TYPED = 200;
/** Between the keys of a person who types. */
const PAUSE_MS = 120;

/**
 * The most frequent values of a keyword field that begin with the typed text, in any case. None if they can't be read.
 * @param signal ends it, as the next key does
 */
export async function fieldValues(
  { index, collection }: { readonly index: string; readonly collection: string },
  field: string,
  typed: string,
  signal: AbortSignal,
): Promise<readonly FieldValue[]> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  if (signal.aborted || typed.length > MAX_TYPED) return [];
  // The query finds the documents, the pattern leaves out their other values.
  const beginning = typed === '' ? {} : { query: { prefix: { [field]: { value: typed, case_insensitive: true } } } };
  const terms = { field, size: MAX_VALUES, ...(typed !== '' && { include: `${patternOf(typed)}.*` }) };
  const body = { size: 0, ...beginning, aggs: { values: { terms } } };
  try {
    const { aggregations } = await run<{
      readonly aggregations: {
        readonly values: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] };
      };
    }>('document.search', { index, collection, body }, { signal });
    return aggregations.values.buckets.map(({ key, doc_count: count }) => ({ value: key, count }));
  } catch {
    return [];
  }
}

/** A regular expression for the text in any case. */
function patternOf(text: string): string {
  return Array.from(text, (character) => {
    const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
    if (lower !== upper && lower.length === 1 && upper.length === 1) return `[${lower}${upper}]`;
    return /[\p{L}\p{N}\s]/u.test(character) ? character : `\\${character}`;
  }).join('');
}
