/** Whether a query accepts a term. */
export type TermTest = (term: string) => boolean;

/** A phrase that a query searches for in a field; a single term is a phrase of one. */
export interface SearchedPhrase {
  readonly field: string;
  /** `offset`: the position within the phrase. */
  readonly terms: readonly { readonly offset: number; readonly accepts: TermTest }[];
  readonly slop: number;
}
