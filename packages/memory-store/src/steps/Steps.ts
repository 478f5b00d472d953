/**
 * Design note: work in steps. The server has one event loop, and a command over a million elements would block it for a
 * second. Such a command is a generator that yields wherever it may pause; `CommandGate` runs it in slices of a few
 * milliseconds and makes every other command wait, so that it stays atomic, as in Redis. A command on little data ends
 * within its first slice and is answered at once.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Elements processed between two pause points: a pause point costs as much as an element. */
export const ELEMENTS_PER_STEP = 512;
/** Bytes processed between two pause points: about a millisecond. */
export const BYTES_PER_STEP = 1_048_576;

/** Whether the outcome of some work is a generator to be run in steps. */
export function isSteps(outcome: unknown): outcome is Steps<unknown> {
  // No other result of a command has this method; checked for every command.
  return typeof outcome === 'object' && typeof (outcome as Partial<Steps<unknown>> | null)?.next === 'function';
}

/** Runs all steps without pausing. */
export function runToEnd<T>(outcome: T | Steps<T>): T {
  if (!isSteps(outcome)) return outcome;
  for (;;) {
    const { done, value } = outcome.next();
    if (done === true) return value;
  }
}

/** Calls a function with each item. */
export function* eachInSteps<T>(items: Iterable<T>, work: (item: T) => void): Steps<void> {
  let left = ELEMENTS_PER_STEP;
  for (const item of items) {
    work(item);
    if (--left > 0) continue;
    yield;
    left = ELEMENTS_PER_STEP;
  }
}

/** Maps each item; `undefined` is left out. */
export function* mapInSteps<T, R>(items: Iterable<T>, toResult: (item: T) => R | undefined): Steps<R[]> {
  const results: R[] = [];
  yield* eachInSteps(items, (item) => {
    const result = toResult(item);
    if (result !== undefined) results.push(result);
  });
  return results;
}

/** The pieces of a range, each small enough for one step. */
export function* piecesInSteps(
  from: number,
  end: number,
  work: (from: number, end: number) => void,
  size = BYTES_PER_STEP,
): Steps<void> {
  for (let at = from; at < end; at += size) {
    work(at, Math.min(end, at + size));
    yield;
  }
}
