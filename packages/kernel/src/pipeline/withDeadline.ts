/**
 * The outcome of `work`, or a rejection with `onTimeout()` after `limitMs`. Work that ends later is ignored; its late
 * rejection is swallowed, since the caller has been told already.
 */
export async function withDeadline<T>(
  work: PromiseLike<T>,
  limitMs: number,
  onTimeout: () => Error,
): Promise<T> {
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
