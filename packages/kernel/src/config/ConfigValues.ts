import type { JsonObject } from '../json/Json.js';

type NumberFormat = 'nat' | 'int' | 'integer' | 'port' | 'duration' | 'timestamp' | NumberConstructor;
type TextFormat = 'email' | 'ipaddress' | 'url' | 'String' | StringConstructor;

/** The general type of a default: `number` for `3`. */
type Widened<T> = T extends string ? string : T extends number ? number : T extends boolean ? boolean : T;

type LeafValue<L> = L extends { readonly format: readonly (infer V)[] }
  ? V
  : L extends { readonly format: NumberFormat }
    ? number
    : L extends { readonly format: TextFormat }
      ? string
      : L extends { readonly default: infer D }
        ? Widened<D>
        : unknown;

/**
 * The type of the values of a configuration schema: inferred from a key's `format` if that is specific enough, else
 * from its `default`.
 */
export type ConfigValues<S> = string extends keyof S
  ? JsonObject
  : {
      readonly [K in keyof S]: S[K] extends { readonly default: unknown } ? LeafValue<S[K]> : ConfigValues<S[K]>;
    };
