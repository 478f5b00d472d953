import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECODED_LENGTHS, encodeLength } from '../fields/lengthByte.js';
import { editDistance } from '../highlight/phrasesOfLeaf.js';
import { constantMatches, type Matches } from './Matches.js';
import { addOptional, intersect, restrict, subtract, unite } from './setOperations.js';
import { foldAscii, parseWildcard } from './wildcard.js';

describe('parseWildcard', () => {
  const matches = (pattern: string, text: string) => parseWildcard(pattern, (c) => c).matches(text);
  it.each([
    ['*', '', true],
    ['', '', true],
    ['?', '', false],
    ['d*t', 'dessert', true],
    ['d*t', 'desserts', false],
    ['fr?it', 'fruit', true],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b', 'ab?', false],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['?', '😀', true],
    ['😀?', '😀x', true],
    ['a\\', 'a\\', true],
  ] as const)('%j on %j: %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });
  it('knows what every match begins with', () => {
    expect(parseWildcard('AB\\*c*d', foldAscii).prefix).toBe('ab*c');
  });
  it('is not blown up by many stars', () => {
    expect(matches('*a'.repeat(200) + 'b', 'a'.repeat(20_000))).toBe(false);
  });
});

describe('editDistance', () => {
  const distance = (a: string, b: string, limit = 2, swaps = true) => editDistance([...a], [...b], limit, swaps);
  it.each([
    ['apple', 'aple', 1],
    ['apple', 'apple', 0],
    ['ab', 'ba', 1],
    ['banana', 'bananna', 1],
    ['kitten', 'sitting', 3],
    ['', 'ab', 2],
    ['abc', '', 3],
    ['abcd', 'badc', 2],
  ] as const)('%j to %j: %i', (a, b, expected) => {
    expect(distance(a, b)).toBe(expected);
  });
  it('counts a swap as two edits when swaps are off', () => {
    expect(distance('ab', 'ba', 2, false)).toBe(2);
  });
});

describe('encodeLength', () => {
  it('keeps lengths up to 39 exactly and longer ones to four bits, never rising', () => {
    for (let length = 0; length <= 40; length += 1) expect(DECODED_LENGTHS[encodeLength(length)]).toBe(length);
    expect(DECODED_LENGTHS[encodeLength(41)]).toBe(40);
    expect(DECODED_LENGTHS[encodeLength(1_000)]).toBe(984);
    for (let length = 0; length < 100_000; length += 7) {
      const decoded = DECODED_LENGTHS[encodeLength(length)] as number;
      expect(decoded).toBeLessThanOrEqual(length);
      expect(decoded).toBeGreaterThan(length * 0.87 - 1);
    }
  });
});

describe('set operations', () => {
  const slotCount = 300;
  const list = fc.uniqueArray(fc.nat(slotCount - 1), { maxLength: 250 });
  const scored = list.map((slots): Matches => {
    const sorted = Int32Array.from(slots).sort();
    return { slots: sorted, scores: Float64Array.from(sorted, (slot) => (slot % 5) + 1), score: 0 };
  });
  const asMap = ({ slots, scores, score }: Matches) =>
    new Map(Array.from(slots, (slot, i) => [slot, scores?.[i] ?? score]));

  it('equal those of plain maps', () => {
    fc.assert(
      fc.property(scored, scored, scored, fc.integer({ min: 1, max: 3 }), (a, b, c, minimum) => {
        const [mapA, mapB, mapC] = [asMap(a), asMap(b), asMap(c)];
        const slots = Array.from({ length: slotCount }, (_, slot) => slot);
        const sum = (slot: number, maps: readonly ReadonlyMap<number, number>[]) =>
          maps.reduce((total, map) => total + (map.get(slot) ?? 0), 0);
        const expected = (keep: (slot: number) => boolean, maps: readonly ReadonlyMap<number, number>[]) =>
          new Map(slots.filter(keep).map((slot) => [slot, sum(slot, maps)]));
        expect(asMap(intersect(a, b))).toEqual(expected((s) => mapA.has(s) && mapB.has(s), [mapA, mapB]));
        expect(asMap(subtract(a, b.slots))).toEqual(expected((s) => mapA.has(s) && !mapB.has(s), [mapA]));
        expect(asMap(restrict(a, b.slots))).toEqual(expected((s) => mapA.has(s) && mapB.has(s), [mapA]));
        expect(asMap(addOptional(a, b))).toEqual(expected((s) => mapA.has(s), [mapA, mapB]));
        const maps = [mapA, mapB, mapC];
        expect(asMap(unite([a, b, c], slotCount, minimum, true))).toEqual(
          expected((s) => maps.filter((map) => map.has(s)).length >= minimum, maps),
        );
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('a maximum takes the best score and a part of the others', () => {
    const a = constantMatches(Int32Array.of(1, 2), 4);
    const b = constantMatches(Int32Array.of(2, 3), 10);
    const united = unite([a, b], 10, 1, true, { kind: 'max', tieBreaker: 0.5 });
    expect(asMap(united)).toEqual(
      new Map([
        [1, 4],
        [2, 12],
        [3, 10],
      ]),
    );
  });
});
