/**
 * Calls the listener when the network of the browser is back, and when its page becomes visible again, maybe after a
 * sleep. Without a page nothing happens. Returns the function that ends it.
 */
export function watchPage(listener: () => void): () => void {
  if (typeof document === 'undefined') return () => undefined;
  const onChange = () => {
    if (document.visibilityState === 'visible') listener();
  };
  addEventListener('online', listener);
  document.addEventListener('visibilitychange', onChange);
  return () => {
    removeEventListener('online', listener);
    document.removeEventListener('visibilitychange', onChange);
  };
}
