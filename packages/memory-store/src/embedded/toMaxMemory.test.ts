import { describe, expect, it } from 'vitest';
import { toMaxMemory } from './toMaxMemory.js';

const GIB = 1_073_741_824;

describe('toMaxMemory', () => {
  it('is a quarter of what the process may use where none is configured', () => {
    expect(toMaxMemory(-1, { totalBytes: 8 * GIB, constrainedBytes: undefined })).toBe(2 * GIB);
    expect(toMaxMemory(-1, { totalBytes: 8 * GIB, constrainedBytes: 0 })).toBe(2 * GIB);
    expect(toMaxMemory(-1, { totalBytes: 8 * GIB, constrainedBytes: GIB })).toBe(GIB / 4);
    // Some systems report the absence of a limit in this way.
    expect(toMaxMemory(-1, { totalBytes: 8 * GIB, constrainedBytes: 2 ** 63 })).toBe(2 * GIB);
    expect(toMaxMemory(-1)).toBeGreaterThan(0);
  });

  it('is what is configured', () => {
    expect(toMaxMemory(0)).toBe(0);
    expect(toMaxMemory(1_000)).toBe(1_000);
  });
});
