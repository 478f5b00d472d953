import type { MaybePromise } from '../concurrency/MaybePromise.js';
import type { PendingWrite } from '../contracts/storage/WriteObservers.js';
import type { ContentOf } from './CollectionMap.js';
import { callerContextOf, type CallerContext } from './FunctionContext.js';
import { serverFunction, type ServerFunction } from './ServerFunction.js';

/** A document that is about to be written, with the content's type. */
export interface FunctionWrite<T> extends Omit<PendingWrite, 'before' | 'after'> {
  /** The stored content; null for a creation. */
  readonly before: T | null;
  /** The whole content to store; null for a deletion. */
  readonly after: T | null;
}

/**
 * Runs before each write of a document, whichever action makes it (`document.beforeWrite`).
 * @param collections `index/collection`, `index/*` or `*`; the type of the content follows from `CollectionMap`
 * @param run returns the content to store, or nothing to keep it; throws a registered error (`defineErrors`) to refuse the
 *   document. It must not write that document itself.
 */
export function onWrite<const N extends string>(
  collections: N,
  run: (write: FunctionWrite<ContentOf<N>>, context: CallerContext) => MaybePromise<ContentOf<N> | void>,
): ServerFunction {
  if (typeof collections !== 'string' || typeof run !== 'function')
    throw new TypeError("expected onWrite('index/collection', (write, context) => content)");
  return serverFunction('onWrite', (host) =>
    host.pipe({
      when: 'document.beforeWrite',
      collections,
      run: (write) => run(write as FunctionWrite<ContentOf<N>>, callerContextOf(host, write.request.user)),
    }),
  );
}
