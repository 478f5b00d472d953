/** A condition on a position between characters. */
export type Assertion = 'start' | 'end' | 'wordBoundary' | 'noWordBoundary';

/** A pattern's syntax tree, without the parts that a yes-or-no search doesn't need: captures and greediness. */
export type PatternNode =
  /** One character; `source` is the pattern that a native `RegExp` with the same flags matches it with. */
  | { readonly kind: 'character'; readonly source: string }
  /** Consecutive literal characters, each a code point under flag `u`, else a code unit. */
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

/** The reason why a pattern is refused; the filter parser adds the position. */
export class PatternFault extends Error {
  override readonly name = 'PatternFault';
}
