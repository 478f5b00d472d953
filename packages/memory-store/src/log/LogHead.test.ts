import { describe, expect, it } from 'vitest';
import { firstDamageOf, HEAD_BYTES, newHead, readSyncedPoint, slotPosition, toSlot } from './LogHead.js';

/** A head with two slots, written one after the other. */
function headWith(...bytes: readonly number[]): Buffer {
  const head = newHead({ sequence: 1, bytes: bytes[0] ?? HEAD_BYTES });
  for (const [i, each] of bytes.entries()) toSlot({ sequence: i + 1, bytes: each }).copy(head, slotPosition(i + 1));
  return head;
}

describe('the synced point of a log file', () => {
  it('is that of the slot written last', () => {
    expect(readSyncedPoint(headWith(5_000))).toEqual({ sequence: 1, bytes: 5_000 });
    expect(readSyncedPoint(headWith(5_000, 6_000))).toEqual({ sequence: 2, bytes: 6_000 });
    expect(readSyncedPoint(headWith(5_000, 6_000, 7_000))).toEqual({ sequence: 3, bytes: 7_000 });
  });

  it('is that of the other slot if a power failure interrupted one', () => {
    const head = headWith(5_000, 6_000, 7_000);
    head.writeUInt8(1, slotPosition(3) + 10);
    expect(readSyncedPoint(head)).toEqual({ sequence: 2, bytes: 6_000 });
    head.fill(0, slotPosition(2), slotPosition(2) + 24);
    expect(readSyncedPoint(head)).toBeUndefined();
  });

  it('is unknown in a head that is cut before the slots', () => {
    expect(readSyncedPoint(headWith(5_000, 6_000).subarray(0, 512))).toBeUndefined();
  });
});

describe('a head', () => {
  it('is undamaged whatever its slots hold, and damaged at any other byte', () => {
    const head = headWith(5_000, 6_000);
    expect(firstDamageOf(head)).toBeUndefined();
    head.fill(0xff, slotPosition(1), slotPosition(1) + 24);
    expect(firstDamageOf(head)).toBeUndefined();
    for (const at of [8, slotPosition(0) + 24, HEAD_BYTES - 1]) {
      const copy = Buffer.from(head);
      copy.writeUInt8(1, at);
      expect(firstDamageOf(copy)).toBe(at);
    }
  });
});
