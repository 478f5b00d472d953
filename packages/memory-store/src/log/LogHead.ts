import { crc32 } from 'node:zlib';

/**
 * Design note. A log file begins with a head of one page: its mark, and two slots that are written alternately after
 * each sync and record how many bytes of the file were on the disk by then. A slot never claims too much, and is at
 * most one sync behind after a power failure. With it, a start distinguishes what a power failure may leave (a tail
 * that was never synced: any damage after the synced point) from corruption (damage before it). Refused alternatives: a
 * mark record in the stream, which would have to be searched for after the damage and which a stored value can imitate;
 * a side file, which the system writes to the disk by itself, seconds later.
 */
export const LOG_MARK = Buffer.from('MSLOG-2\n', 'latin1');
/** Mark of files written before heads were introduced: records follow at once. */
export const OLD_MARK = Buffer.from('MSLOG-1\n', 'latin1');
/** The mark of any format. */
export const ANY_MARK = /^MSLOG-(\d)\n/;
/** Bytes before the first record. */
export const HEAD_BYTES = 4_096;

const SLOT_BYTES = 24;
const SLOT_COUNT = 2;
/** One sector each: if a power failure interrupts one, the other is intact. */
const SLOT_STEP_BYTES = 512;

/** The content of the last slot written. */
export interface SyncedPoint {
  /** Counts the slots written; determines which of the two is newer. */
  readonly sequence: number;
  /** Number of synced bytes of the file. */
  readonly bytes: number;
}

/** A head with one slot. */
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

/** The position of a slot in the file. */
export function slotPosition(sequence: number): number {
  return SLOT_STEP_BYTES * (1 + (sequence % SLOT_COUNT));
}

/** The synced point of a head; undefined if neither slot is valid. */
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

/** The first byte of a head that can't have been written; undefined if there is none. */
export function firstDamageOf(head: Buffer): number | undefined {
  const rest = Buffer.from(head);
  rest.fill(0, 0, LOG_MARK.length);
  for (let slot = 0; slot < SLOT_COUNT; slot++) rest.fill(0, slotPosition(slot), slotPosition(slot) + SLOT_BYTES);
  const at = rest.findIndex((byte) => byte !== 0);
  return at < 0 ? undefined : at;
}
