/** Syntax of `query_string` and `simple_query_string`, as read. Internal: `expandFields` turns it into queries. */
export type LuceneNode = { readonly kind: 'empty' } | LuceneClause;

export type LuceneClause = LuceneLeaf | LuceneGroup;

/** What is looked for, in one field or in the default fields. */
export type LuceneLeaf =
  | { readonly kind: 'all'; readonly boost: number }
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

/** Parts side by side, the whole text or what is in brackets. What they are to each other, `assembleClauses` finds out. */
export interface LuceneGroup {
  readonly kind: 'group';
  readonly parts: readonly LucenePart[];
  readonly boost: number;
}

export interface LucenePart {
  /** What stands between it and the part before. */
  readonly conjunction?: Conjunction;
  readonly modifier?: 'NOT' | '+';
  readonly node: LuceneClause;
}

export type Conjunction = 'AND' | 'OR';
