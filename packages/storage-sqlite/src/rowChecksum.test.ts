import { describe, expect, it } from 'vitest';
import { rowChecksum } from './storedText.js';

describe('rowChecksum', () => {
  it('changes with the version, the id and the text', () => {
    const sums = [
      rowChecksum(1, 'a', '{}'),
      rowChecksum(2, 'a', '{}'),
      rowChecksum(1, 'b', '{}'),
      rowChecksum(1, 'a', '[]'),
    ];
    expect(new Set(sums).size).toBe(4);
  });

  it('is the CRC-32 of the three with colons between, unsigned', () => {
    expect(rowChecksum(12, '34', '56789')).toBe(0x72ca9b00);
  });
});
