/** Permitted edits: a fixed number, or by length: 0 below `low` characters, 1 below `high`, else 2 (`AUTO` = 3,6). */
export type Fuzziness =
  | { readonly kind: 'edits'; readonly edits: 0 | 1 | 2 }
  | { readonly kind: 'auto'; readonly low: number; readonly high: number };
