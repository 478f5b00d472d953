import { describe, expect, it } from 'vitest';
import { exactFrequency, sloppyFrequency } from './phraseFrequency.js';

describe('phrase frequencies', () => {
  const part = (offset: number, positions: number[], group = offset) => ({
    offset,
    positions,
    group,
  });

  it('counts exact phrases', () => {
    expect(exactFrequency([part(0, [0, 4, 9]), part(1, [1, 5])])).toBe(2);
    expect(exactFrequency([part(0, [1]), part(1, [0])])).toBe(0);
  });

  it('counts sloppy ones less the farther they are apart', () => {
    expect(sloppyFrequency([part(0, [0]), part(1, [1])], 3)).toBe(1);
    expect(sloppyFrequency([part(0, [0]), part(1, [3])], 3)).toBeCloseTo(1 / 3);
    expect(sloppyFrequency([part(0, [0]), part(1, [5])], 3)).toBe(0);
    expect(sloppyFrequency([part(0, [0, 9]), part(1, [3, 10])], 3)).toBeCloseTo(1 / 3 + 1);
  });

  it('uses different tokens for parts with the same term', () => {
    expect(sloppyFrequency([part(0, [3], 0), part(1, [3], 0)], 3)).toBe(0);
    expect(sloppyFrequency([part(0, [3, 4], 0), part(1, [3, 4], 0)], 3)).toBe(1);
    expect(sloppyFrequency([part(0, [1, 5], 0), part(1, [2]), part(2, [1, 5], 0)], 2)).toBeCloseTo(1 / 3);
  });

  it('takes parts that share only some terms in any order', () => {
    // "running run*" in "runs … running"
    expect(sloppyFrequency([part(0, [2], 0), part(1, [0, 2], 0)], 5)).toBe(1 / 4);
    expect(sloppyFrequency([part(0, [2], 0), part(1, [2, 4], 0)], 5)).toBe(1 / 2);
  });
});
