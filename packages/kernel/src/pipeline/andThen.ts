import type { MaybePromise } from '../contracts/storage/StorageEngine.js';
import { isThenable } from './isThenable.js';

/** Goes on with a value: at once where it is at hand, else when it is there. Hot paths wait for nothing then. */
export function andThen<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return isThenable(value) ? Promise.resolve(value).then(next) : next(value);
}
