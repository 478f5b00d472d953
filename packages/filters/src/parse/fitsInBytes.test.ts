import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitsInBytes } from './parseFilter.js';

it('fitsInBytes counts a value as its JSON in UTF-8', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      expect(fitsInBytes(value, bytes)).toBe(true);
      expect(fitsInBytes(value, bytes - 1)).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

it('fitsInBytes takes values nested deeper than the stack', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  expect(fitsInBytes(deep, 65_536)).toBe(false);
  expect(fitsInBytes(deep, 1_000_000)).toBe(true);
});
