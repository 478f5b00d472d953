import type { TokenList } from '@millrace/language';

/** The terms at one position. */
export interface TermsAt {
  readonly position: number;
  readonly terms: readonly string[];
}

/** Groups terms by their positions, ascending: several terms at one position are the n-grams of a word. */
export function byPosition({ terms, positions }: Pick<TokenList, 'terms' | 'positions'>): readonly TermsAt[] {
  const groups: { readonly position: number; readonly terms: string[] }[] = [];
  for (const [i, term] of terms.entries()) {
    const position = positions[i] as number;
    const last = groups.at(-1);
    if (last?.position === position) last.terms.push(term);
    else groups.push({ position, terms: [term] });
  }
  return groups;
}
