import { crc32 } from 'node:zlib';

/**
 * Design note. A log file begins with a head of one page: its mark, and two slots that are written in turn after each
 * sync and say how many bytes of the file were on the disk by then. A slot is never ahead of the truth, and at most one
 * sync behind it after a power failure. This is how a start tells what a power failure may leave (a tail that was never
 * synced: any damage behind the synced point) from corruption (damage before it). Refused: a mark record in the stream,
 * which has to be searched for behind the damage and which a stored value can imitate; a side file, which is on the
 * disk only when the system wrote it by itself, seconds later.
 */
export const LOG_MARK = Buffer.from('MSLOG-2\n', 'latin1');
/** Of files that were written before there were heads: records follow at once. */
export const OLD_MARK = Buffer.from('MSLOG-1\n', 'latin1');
/** Bytes before the first record. */
export const HEAD_BYTES = 4_096;

const SLOT_BYTES = 24;
const SLOT_COUNT = 2;
/** A sector each: one that is cut by a power failure leaves the other. */
const SLOT_STEP_BYTES = 512;

/** What the last slot written says. */
export interface SyncedPoint {
  /** Counts the slots written; decides which of the two is newer. */
  readonly sequence: number;
  /** So many bytes of the file were synced. */
  readonly bytes: number;
}

/** A head that has one slot. */
export function newHead(point: SyncedPoint): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  LOG_MARK.copy(head);
  toSlot(point).copy(head, slotPosition(point.sequence));
  return head;
}

/** The bytes of a slot. */
export function toSlot({ sequence, bytes }: SyncedPoint): Buffer {
  const slot = Buffer.alloc(SLOT_BYTES);
  slot.writeDoubleLE(sequence, 0);
  slot.writeDoubleLE(bytes, 8);
  slot.writeUInt32LE(crc32(slot.subarray(0, 16)), 16);
  return slot;
}

/** Where a slot is in the file. */
export function slotPosition(sequence: number): number {
  return SLOT_STEP_BYTES * (1 + (sequence % SLOT_COUNT));
}

/** The synced point of a head; undefined where neither slot can be read. */
export function readSyncedPoint(head: Buffer): SyncedPoint | undefined {
  let newest: SyncedPoint | undefined;
  for (let slot = 0; slot < SLOT_COUNT; slot++) {
    const at = slotPosition(slot);
    if (head.length < at + SLOT_BYTES) continue;
    const isWhole = head.readUInt32LE(at + 16) === crc32(head.subarray(at, at + 16));
    const point = { sequence: head.readDoubleLE(at), bytes: head.readDoubleLE(at + 8) };
    if (isWhole && point.sequence > (newest?.sequence ?? 0)) newest = point;
  }
  return newest;
}

/** The first byte of a head that can't have been written; undefined where there is none. */
export function firstDamageOf(head: Buffer): number | undefined {
  const rest = Buffer.from(head);
  rest.fill(0, 0, LOG_MARK.length);
  for (let slot = 0; slot < SLOT_COUNT; slot++)
    rest.fill(0, slotPosition(slot), slotPosition(slot) + SLOT_BYTES);
  const at = rest.findIndex((byte) => byte !== 0);
  return at < 0 ? undefined : at;
}
