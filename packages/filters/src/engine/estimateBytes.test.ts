import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@millrace/language';
import { FilterEngine } from './FilterEngine.js';

const bytesOf = (filter: JsonObject) => new FilterEngine().register('i', 'c', filter).bytes ?? 0;
const list = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n));

/** Measured with --expose-gc (Node 20), after a document was tested: docs/decisions/0018. */
describe('estimateBytes', () => {
  it.each<[string, JsonObject, number]>([
    ['a small filter', { equals: { a: 1 } }, 500],
    ['1,024 numbers', { in: { a: list(1_024, (n) => n * 7) } }, 67_000],
    ['600 long strings', { in: { a: list(600, (n) => `${n}.`.padEnd(100, 'x')) } }, 105_000],
    [
      '500 ranges, each on another field',
      { or: list(500, (n) => ({ range: { [`r5_${n}`]: { gt: n, lt: 9_000 } } })) },
      1_337_000,
    ],
    [
      '500 discs, each on another field',
      { or: list(500, (n) => ({ geoDistance: { [`p5_${n}`]: { lat: 5, lon: n % 170 }, distance: '9km' } })) },
      1_556_000,
    ],
    [
      '400 patterns, each on another field',
      { or: list(400, (n) => ({ regexp: { [`r5_${n}`]: `x${n}.*[ab]` } })) },
      2_384_000,
    ],
    [
      '240 fields of 20 parts',
      { or: list(240, (n) => ({ exists: list(20, (part) => `x5_${n}_${part}`).join('.') })) },
      1_465_000,
    ],
    ['a string of 65,000 characters', { equals: { a: 'x'.repeat(65_000) } }, 65_000],
  ])('is no less than what was measured for %s, and not much more', (_, filter, measured) => {
    expect(bytesOf(filter)).toBeGreaterThanOrEqual(measured);
    expect(bytesOf(filter)).toBeLessThan(measured * 5);
  });

  it('is given where the filter is new', () => {
    const engine = new FilterEngine();
    expect(engine.register('i', 'c', {}).bytes).toBeGreaterThan(0);
    expect(engine.register('i', 'c', {}).bytes).toBeUndefined();
  });
});
