/** Syntax tree of `query_string` and `simple_query_string`. Internal: `expandFields` turns it into queries. */
export type LuceneNode =
  | { readonly kind: 'empty' }
  | { readonly kind: 'all'; readonly boost: number }
  | {
      readonly kind: 'clauses';
      readonly clauses: readonly LuceneClause[];
      readonly boost: number;
    }
  | (LuceneLeafBase & {
      readonly kind: 'term';
      readonly text: string;
      /** Absent: not fuzzy; 'default': a bare `~`. */
      readonly fuzziness?: 'default' | 0 | 1 | 2;
    })
  | (LuceneLeafBase & {
      readonly kind: 'phrase';
      readonly text: string;
      readonly slop?: number;
    })
  | (LuceneLeafBase & { readonly kind: 'prefix'; readonly text: string })
  | (LuceneLeafBase & {
      readonly kind: 'wildcard';
      /** Still escaped, as the `wildcard` query takes it. */
      readonly pattern: string;
    })
  | (LuceneLeafBase & { readonly kind: 'regexp'; readonly pattern: string })
  | (LuceneLeafBase & {
      readonly kind: 'range';
      readonly lower?: { readonly value: string; readonly inclusive: boolean };
      readonly upper?: { readonly value: string; readonly inclusive: boolean };
    })
  /** Without a field: any of the default fields. */
  | { readonly kind: 'exists'; readonly field?: string; readonly boost: number };

export interface LuceneLeafBase {
  /** The field before the colon, may hold `*`; absent: the default fields. */
  readonly field?: string;
  readonly boost: number;
}

export interface LuceneClause {
  readonly occur: 'must' | 'should' | 'must_not';
  readonly node: LuceneNode;
}
