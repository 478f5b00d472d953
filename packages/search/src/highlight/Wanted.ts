/** Whether a query would accept a term. */
export type TermTest = (term: string) => boolean;

/** What a query looks for in a field: single terms, or with several places a phrase. */
export interface Wanted {
  readonly field: string;
  readonly places: readonly {
    readonly offset: number;
    readonly accepts: TermTest;
    /** Whether it stands for many terms, and is no word. */
    readonly isPattern?: boolean;
  }[];
  readonly slop: number;
  /** Of a pattern that fits one term alone, or a list of one: see `seenByTerms`. */
  readonly isLiteral?: boolean;
  /** Of a phrase whose last word is a beginning: what begins so is marked by itself where any field may have been asked. */
  readonly endsInPrefix?: boolean;
  /** Of a phrase below a `function_score`: each of its words is marked wherever it stands where any field may have been asked. */
  readonly isLoose?: boolean;
  /** Of what Lucene can't tell the terms of: it then leaves no words of the field out. */
  readonly isOpaque?: boolean;
}
