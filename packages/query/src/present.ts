type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** The object without its undefined entries, as `exactOptionalPropertyTypes` requires for optional properties. */
export function present<T extends object>(entries: T): Present<T> {
  const result: Record<string, unknown> = {};
  // Faster than a loop over `Object.entries`: every query of a search passes here.
  for (const key in entries) {
    const value = entries[key];
    if (value !== undefined) result[key] = value;
  }
  return result as Present<T>;
}
