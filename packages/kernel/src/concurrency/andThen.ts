import type { MaybePromise } from './MaybePromise.js';
import { isThenable } from './isThenable.js';

/** Continues with a value: at once if it is available, else when its promise resolves. Saves hot paths an await. */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value);
}
