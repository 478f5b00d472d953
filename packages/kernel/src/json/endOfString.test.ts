import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfString } from './endOfString.js';

describe('endOfString', () => {
  it('finds the closing quote of any string', () => {
    const pieces = fc.constantFrom('x', '\\', '"', 'é', '\n', 'a'.repeat(40), '\\'.repeat(33));
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), fc.string(), (parts, after) => {
        const json = JSON.stringify(parts.join(''));
        const bytes = Buffer.from(json + JSON.stringify(after));
        expect(endOfString(bytes, 1)).toBe(Buffer.byteLength(json) - 1);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['"', `"${'x'.repeat(100)}`, `"${'x'.repeat(40)}\\"`, '"\\'])('ends beyond %s', (text) => {
    expect(endOfString(Buffer.from(text), 1)).toBeGreaterThanOrEqual(text.length);
  });
});
