/** A value, or a promise if it isn't available yet. Callers on hot paths check before they await. */
export type MaybePromise<T> = T | Promise<T>;
