/** A condition on a place between characters. */
export type Assertion = 'start' | 'end' | 'wordBoundary' | 'noWordBoundary';

/** A pattern's syntax tree, without what a yes-or-no search does not need: captures and greediness. */
export type PatternNode =
  /** One character; `source` is what a native `RegExp` of the same flags would match it with. */
  | { readonly kind: 'character'; readonly source: string }
  /** Characters in a row that stand for themselves, each a code point under flag `u`, else a code unit. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: 'repetition';
      readonly part: PatternNode;
      readonly min: number;
      /** `Infinity` for no upper bound. */
      readonly max: number;
    };
