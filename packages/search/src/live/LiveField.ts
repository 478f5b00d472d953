/*
 * What the first stage of live matching knows of a document: an object that the filter engine tests, with keys derived
 * from the mapped fields. `<n>` is the ordinal of a field.
 *
 *   <n>         the value, if there is exactly one number or point
 *   <n>?        there is a value
 *   <n>=<term>  there is this term
 */
import type { CompiledField } from '@millrace/query';

/** Longer terms are cut: their filters are necessary only. A key has at most 512 characters, and escapes take two. */
export const MAX_TERM_LENGTH = 250;

/** A dot would make the key a path. */
const ESCAPED = /[.\0]/g;

export function valueKey({ ordinal }: CompiledField): string {
  return String(ordinal);
}

export function presenceKey({ ordinal }: CompiledField): string {
  return `${ordinal}?`;
}

export function termKey({ ordinal }: CompiledField, term: string): string {
  const cut = term.length > MAX_TERM_LENGTH ? term.slice(0, MAX_TERM_LENGTH) : term;
  return `${ordinal}=${cut.replace(ESCAPED, (found) => (found === '.' ? '\0d' : '\0n'))}`;
}
