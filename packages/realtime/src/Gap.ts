import type { GapReason } from '@millrace/kernel';

/** Why a subscriber may have missed notifications; the message is for people. */
export type Gap = { readonly reason: GapReason; readonly message: string };

/** More changes than the queue of notifications takes. */
export const TOO_MANY_CHANGES: Gap = {
  reason: 'too_much',
  message: 'more changes came than could be delivered',
};

/** A document was not matched against all patterns of the filters. */
export const COSTLY_PATTERNS: Gap = {
  reason: 'too_much',
  message: 'the patterns of the filters took too many steps on a document',
};

/** A document was not matched against the queries of its collection. */
export const UNKNOWN_MAPPING: Gap = {
  reason: 'too_much',
  message: 'the mapping of the collection could not be read, so the queries were not tested',
};

const MESSAGES: Readonly<Record<GapReason, string>> = {
  epoch_changed: 'the cursor belongs to another change log: the store was restored or rebuilt',
  expired: 'the changes after the cursor are no longer in the change log',
  not_recorded: 'the changes after the cursor were not recorded',
  wiped: 'all documents of the collection were removed at once',
  too_much: 'more changes came after the cursor than are replayed',
  slow_consumer: 'the connection reads too slowly',
  node_lost: 'changes of another node may be missing',
  rights_changed: 'the cursor was received under another right to the documents',
};

/** All reasons. */
export const GAP_REASONS = Object.keys(MESSAGES) as readonly GapReason[];

/** The gap of a resume. */
export function gapOf(reason: GapReason): Gap {
  return { reason, message: MESSAGES[reason] };
}
