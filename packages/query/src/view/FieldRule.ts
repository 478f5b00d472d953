/**
 * The fields that a right on documents covers: names, each with everything below it, and patterns `prefix.*`, which
 * cover everything below the prefix. `both`: the fields that both rules cover.
 */
export type FieldRule =
  | { readonly only: readonly string[] }
  | { readonly except: readonly string[] }
  | { readonly both: readonly [FieldRule, FieldRule] };
