import type { SharedSubscription } from './SharedSubscription.js';

/** What the server takes in one request (RESUME-16), and bytes well below its limit. */
const MAX_ASKED = 100;
const MAX_ASKED_BYTES = 256 * 2 ** 10;

/** A subscription and the item of the request that asks for it. */
export interface Asked {
  readonly shared: SharedSubscription;
  readonly item: object;
}

/** Asks for the due subscriptions: as many as one request takes. */
export function askDue(all: Iterable<SharedSubscription>): readonly Asked[] {
  const asked: Asked[] = [];
  let bytes = 0;
  for (const shared of all) {
    if (!shared.isDue) continue;
    bytes += shared.key.length;
    if (asked.length > 0 && (asked.length >= MAX_ASKED || bytes > MAX_ASKED_BYTES)) break;
    asked.push({ shared, item: shared.ask() });
  }
  return asked;
}
