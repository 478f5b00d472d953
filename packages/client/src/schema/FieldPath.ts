type Scalar = string | number | boolean | null | undefined | Date;

/** A value of a field: of a list its items, as a search does. */
type Item<T> = T extends readonly (infer I)[] ? I : T;

type Inner<T> = Exclude<Item<NonNullable<T>>, Scalar>;

type Keys<T> = keyof T & string;

type Below<T, K extends Keys<T>> = [Inner<T[K]>] extends [never] ? never : Inner<T[K]>;

/** A string may be indexed in several ways: `name.raw`, `name.keyword`. */
type Leaf<T, K extends Keys<T>> = K | (Item<NonNullable<T[K]>> extends string ? `${K}.${string}` : never);

/**
 * Names of the fields of a document: `city`, `address.street`. Complete to a depth of three; deeper paths end in any
 * string. Three levels are written out: recursive paths grow exponentially and slow editors down.
 */
export type FieldPath<T> = string extends keyof T ? string : Path1<T>;

type Path1<T> = {
  [K in Keys<T>]: [Below<T, K>] extends [never] ? Leaf<T, K> : K | `${K}.${Path2<Below<T, K>>}`;
}[Keys<T>];

type Path2<T> = string extends keyof T
  ? string
  : {
      [K in Keys<T>]: [Below<T, K>] extends [never] ? Leaf<T, K> : K | `${K}.${Path3<Below<T, K>>}`;
    }[Keys<T>];

type Path3<T> = string extends keyof T
  ? string
  : {
      [K in Keys<T>]: [Below<T, K>] extends [never] ? Leaf<T, K> : K | `${K}.${string}`;
    }[Keys<T>];
