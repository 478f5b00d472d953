const FIRST_MS = 250;
const LONGEST_MS = 20_000;

/**
 * How long to wait before the next attempt: a random time up to 0.25 s, doubled after each failure, at most 20 s. Clients
 * that lost their server at the same moment come back spread over this time.
 * @param failedCount failed attempts so far
 */
export function backoffMs(failedCount: number): number {
  return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** failedCount);
}
