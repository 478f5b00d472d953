import type { Fuzziness } from '../parse/parseFuzziness.js';

/** The syntax tree of `query_string` and `simple_query_string`. `expandFields` converts it to queries. */
export type LuceneNode = LuceneLeaf | LuceneClauses | { readonly kind: 'none' };

export interface LuceneClauses {
  readonly kind: 'clauses';
  readonly clauses: readonly LuceneClause[];
  readonly boost: number;
}

export interface LuceneClause {
  readonly occur: 'must' | 'should' | 'must_not';
  readonly node: LuceneNode;
}

/** One condition, on one field or on the default fields. */
export type LuceneLeaf = FieldLeaf | { readonly kind: 'all'; readonly boost: number };

export type FieldLeaf = {
  /** The field before the colon, may contain `*`; absent: the default fields. */
  readonly field?: string;
  readonly boost: number;
} & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'phrase'; readonly text: string; readonly slop: number }
  | { readonly kind: 'fuzzy'; readonly text: string; readonly fuzziness: Fuzziness }
  | { readonly kind: 'prefix'; readonly text: string }
  /** Still escaped, as the `wildcard` query expects it. */
  | { readonly kind: 'wildcard'; readonly pattern: string }
  | { readonly kind: 'regexp'; readonly pattern: string }
  | { readonly kind: 'range'; readonly lower?: LuceneBound; readonly upper?: LuceneBound }
  | { readonly kind: 'exists' }
);

export interface LuceneBound {
  readonly value: string;
  readonly inclusive: boolean;
}
