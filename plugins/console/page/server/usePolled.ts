import { useEffect } from 'preact/hooks';
import { useLoad, type Loaded } from '../kit/useLoad.js';

/**
 * Loads something again and again while the page is visible.
 * @param everyMs of the value that is shown; undefined: not again until it is asked for
 */
export function usePolled<T>(
  load: (signal: AbortSignal) => Promise<T>,
  everyMs: (value: T | undefined) => number | undefined,
): Loaded<T> {
  const loaded = useLoad(load, []);
  const { value, isLoading, reload } = loaded;
  const dueMs = everyMs(value);
  useEffect(() => {
    if (dueMs === undefined || isLoading) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), dueMs);
    return () => clearInterval(timer);
  }, [dueMs, isLoading]);
  return loaded;
}
