import { useCallback, useEffect, useState } from 'preact/hooks';

/** What `useLoad` has: the last value stays readable while the next one is loaded. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Loads it again. */
  readonly reload: () => void;
}

/**
 * Loads something when the component appears and when `inputs` change.
 * @param load may be called again before the last call has ended, whose signal is then aborted
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setState(({ value }) => ({ value, error: undefined, isLoading: true }));
    load(abort.signal).then(
      (value) => !abort.signal.aborted && setState({ value, error: undefined, isLoading: false }),
      (error: unknown) => !abort.signal.aborted && setState({ value: undefined, error, isLoading: false }),
    );
    return () => abort.abort();
  }, [...inputs, turn]);
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  return { ...state, reload };
}
