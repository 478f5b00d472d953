import type { Cursor } from '@millrace/kernel';

/** Enough for all safe integers. */
const SEQ_DIGITS = 11;
/** Of all change logs: positions of other ones are longer. */
const FORM = /^([0-9a-z]{8})\.([0-9a-z]{11,16})$/;

/** A cursor as text: `<epoch>.<seq>`, the position in base 36 with a fixed width, so that cursors sort as text. */
export function formatCursor(epoch: string, seq: number): Cursor {
  return `${epoch}.${seq.toString(36).padStart(SEQ_DIGITS, '0')}`;
}

/** @returns undefined if `cursor` is malformed; without `seq` if only another engine can have made it */
export function parseCursor(cursor: string): { epoch: string; seq?: number } | undefined {
  const [, epoch, digits] = FORM.exec(cursor) ?? [];
  if (epoch === undefined || digits === undefined) return undefined;
  const seq = Number.parseInt(digits, 36);
  const isOwn = digits.length === SEQ_DIGITS && Number.isSafeInteger(seq);
  return isOwn ? { epoch, seq } : { epoch };
}
