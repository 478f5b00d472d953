/*
 * A client that resumes has a copy of the documents that it could see at its cursor. If its right to them has changed
 * since, the notifications of its present right don't lead from that copy to what it may see now. The server keeps
 * nothing of clients that are away, so the cursors of subscriptions under a right to a part of the documents end with a
 * mark of that right: `<position>-<6 hexadecimal digits>`. Within the server, positions have no mark.
 */
import type { Cursor } from '@millrace/kernel';

const DIGITS = 6;
const MARK = /-[0-9a-f]{6}$/;

/** The cursor that clients receive. @param rightId of the room, see `rightIdOf` */
export function markCursor(position: Cursor, rightId: string): Cursor {
  return rightId === '' ? position : `${position}-${rightId.slice(0, DIGITS)}`;
}

/** The cursor of a client without its mark. */
export function positionOf(cursor: Cursor): Cursor {
  return cursor.replace(MARK, '');
}

/** Whether a cursor was received under this right to the documents. */
export function isOfRight(cursor: Cursor, rightId: string): boolean {
  return cursor === markCursor(positionOf(cursor), rightId);
}
