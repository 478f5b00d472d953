import { describe, expect, it } from 'vitest';
import { AnswerShares } from './AnswerShares.js';

const HOUR_MS = 3_600_000;

describe('AnswerShares', () => {
  it('keeps nothing of holders whose bytes were returned (IDEM-11)', () => {
    let nowMs = 0;
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
    const shares = new AnswerShares(clock, 1_048_576, HOUR_MS);
    for (let n = 0; n < 1_000; n++) {
      expect(shares.take(`address ${n}`, 512)).toBe(true);
      shares.add(`address ${n}`, -512);
    }
    expect(shares.entryCount).toBe(0);
    expect(shares.take('ada', 512)).toBe(true);
    expect(shares.entryCount).toBe(1);
    nowMs = 3 * HOUR_MS;
    expect(shares.take('grace', 512)).toBe(true);
    expect(shares.entryCount).toBe(1);
  });
});
