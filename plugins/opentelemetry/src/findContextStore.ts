import { AsyncLocalStorage } from 'node:async_hooks';
import { context, type Context } from '@opentelemetry/api';

/**
 * The store in which the SDK keeps the active context, so that spans of other libraries become children of ours. The API
 * has no way to bind a channel to it, so a private member of the usual context manager is read; with another one, our
 * spans form traces without those of other libraries.
 */
export function findContextStore(): AsyncLocalStorage<Context> {
  const { _getContextManager: find } = context as unknown as {
    _getContextManager?: () => { readonly _asyncLocalStorage?: unknown };
  };
  const store = find?.call(context)._asyncLocalStorage;
  if (store instanceof AsyncLocalStorage) return store as AsyncLocalStorage<Context>;
  return new AsyncLocalStorage<Context>();
}
