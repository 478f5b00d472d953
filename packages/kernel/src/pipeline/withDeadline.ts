/**
 * The outcome of `work`, or a rejection with `onTimeout()` after `limitMs`. A later result is ignored; a late rejection
 * is swallowed, since the caller has already received the timeout.
 */
export async function withDeadline<T>(work: PromiseLike<T>, limitMs: number, onTimeout: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(onTimeout()), limitMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
