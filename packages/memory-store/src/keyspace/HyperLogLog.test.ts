import { describe, expect, it } from 'vitest';
import { countIn, emptyHyperLogLog, estimate, HYPER_LOG_LOG_BYTES, isHyperLogLog, mergeInto } from './HyperLogLog.js';

/** A HyperLogLog of the elements from one number to another. */
function counted(from: number, to: number): Buffer {
  const bytes = emptyHyperLogLog();
  for (let n = from; n < to; n++) countIn(bytes, `element ${n}`);
  return bytes;
}

describe('a HyperLogLog', () => {
  it.each([0, 1, 2, 10, 100, 1_000, 10_000, 100_000])('estimates %i elements within 2 %%', (count) => {
    const estimated = estimate(counted(0, count));
    expect(Math.abs(estimated - count)).toBeLessThanOrEqual(count * 0.02);
  });

  it('counts an element once, and says whether its registers changed', () => {
    const bytes = emptyHyperLogLog();
    expect([countIn(bytes, 'a'), countIn(bytes, 'a'), countIn(bytes, 'b')]).toEqual([true, false, true]);
    expect(estimate(bytes)).toBe(2);
  });

  it('has the registers of the union after a merge, whatever the order', () => {
    const [left, right, both] = [counted(0, 6_000), counted(4_000, 9_000), counted(0, 9_000)];
    const merged = Buffer.from(left);
    mergeInto(merged, right);
    expect(merged.equals(both)).toBe(true);
    mergeInto(right, left);
    expect(right.equals(both)).toBe(true);
    mergeInto(merged, emptyHyperLogLog());
    expect(merged.equals(both)).toBe(true);
  });

  it('is recognised by its length and its head, the dense form alone', () => {
    const bytes = counted(0, 10);
    expect([bytes.length, isHyperLogLog(bytes)]).toEqual([HYPER_LOG_LOG_BYTES, true]);
    expect(isHyperLogLog(bytes.subarray(1))).toBe(false);
    expect(isHyperLogLog(Buffer.alloc(HYPER_LOG_LOG_BYTES))).toBe(false);
    bytes[4] = 1;
    expect(isHyperLogLog(bytes)).toBe(false);
  });
});
