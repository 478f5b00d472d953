import type { Cursor, ChangeOrigin, JsonObject } from '@millrace/kernel';

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

/*
 * Column `o` of a recorded change: the request that made it. `-`: a silent write. Empty: not known. Otherwise JSON: the
 * request id, or a list of the request id and the metadata if there is any.
 */

const SILENT = '-';
const UNKNOWN = '';

export function packOrigin(origin: ChangeOrigin | null | undefined): string {
  if (origin === undefined) return UNKNOWN;
  if (origin === null) return SILENT;
  const { requestId, metadata } = origin;
  for (const _ in metadata) return JSON.stringify([requestId, metadata]);
  return JSON.stringify(requestId);
}

export function unpackOrigin(packed: string): {
  readonly origin: ChangeOrigin | null;
  readonly isSilent: boolean;
} {
  if (packed === UNKNOWN || packed === SILENT) {
    return { origin: null, isSilent: packed === SILENT };
  }
  const stored = JSON.parse(packed) as string | readonly [string, JsonObject];
  const origin =
    typeof stored === 'string' ? { requestId: stored, metadata: {} } : { requestId: stored[0], metadata: stored[1] };
  return { origin, isSilent: false };
}
