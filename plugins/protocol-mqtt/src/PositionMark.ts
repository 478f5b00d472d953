import type { Cursor } from '@millrace/kernel';

/** Passes through the queue of notifications: everything up to the position has been sent to a client before it. */
export class PositionMark {
  readonly length = 0;

  constructor(readonly cursor: Cursor) {}
}
