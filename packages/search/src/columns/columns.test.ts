import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberColumn } from './NumberColumn.js';
import { PointColumn } from './PointColumn.js';
import { Postings } from './Postings.js';
import { TermColumn } from './TermColumn.js';
import { compareTerms, TermDictionary } from './TermDictionary.js';

describe('TermDictionary', () => {
  it('orders terms by code point, not by UTF-16 unit', () => {
    const dictionary = new TermDictionary();
    for (const term of ['\u{1F600}', '\uFFFD', 'z', 'Z', 'é', '']) dictionary.codeFor(term);
    const inOrder = () => Array.from(dictionary.inOrder(), (code) => dictionary.term(code));
    expect(inOrder()).toEqual(['', 'Z', 'z', 'é', '\uFFFD', '\u{1F600}']);
    dictionary.codeFor('a');
    expect(inOrder()).toEqual(['', 'Z', 'a', 'z', 'é', '\uFFFD', '\u{1F600}']);
    expect(dictionary.rankOf('b')).toBe(3);
  });

  it('compares as UTF-8 bytes do', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        const bytes = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareTerms(a, b))).toBe(bytes);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('finds the terms of a prefix', () => {
    const dictionary = new TermDictionary();
    for (const term of ['b', 'ab', 'abc', 'ac', 'a']) dictionary.codeFor(term);
    expect(dictionary.ranksOfPrefix('ab')).toEqual([1, 3]);
    expect(dictionary.ranksOfPrefix('')).toEqual([0, 5]);
    expect(dictionary.ranksOfPrefix('x')).toEqual([5, 5]);
  });
});

describe('NumberColumn', () => {
  it('keeps the smallest value in front and all values in order', () => {
    const column = new NumberColumn();
    column.add(1, 5);
    column.add(3, 9);
    column.add(3, 2);
    column.add(3, 4);
    column.seal();
    expect([0, 1, 2, 3, 4].map((slot) => column.first(slot))).toEqual([NaN, 5, NaN, 2, NaN]);
    expect([...(column.more.get(3) ?? [])]).toEqual([2, 4, 9]);
    expect(column.hasBetween(3, 8, 10)).toBe(true);
    expect(column.hasBetween(3, 5, 8)).toBe(false);
    expect([column.min, column.max, column.isIntegral]).toEqual([2, 9, true]);
  });
});

describe('TermColumn', () => {
  it('counts each term of a document once', () => {
    const column = new TermColumn();
    for (const term of ['b', 'a', 'b']) column.add(0, term);
    for (const term of ['c', 'c']) column.add(2, term);
    column.seal();
    expect([...(column.more.get(0) ?? [])]).toEqual([0, 1]);
    expect(column.codeAt(1)).toBe(-1);
    expect(column.codeAt(2)).toBe(2);
    expect([column.documentCount, column.tokenCount]).toEqual([2, 3]);
    expect(column.hasAny(0, Uint8Array.of(0, 1, 0))).toBe(true);
    expect(column.hasAny(2, Uint8Array.of(1, 1, 0))).toBe(false);
  });
});

describe('PointColumn', () => {
  it('tests every point of a document', () => {
    const column = new PointColumn();
    column.add(1, 10, 20);
    column.add(1, 30, 40);
    column.add(1, 50, 60);
    expect(column.some(1, (lat) => lat === 50)).toBe(true);
    expect(column.some(1, (lat) => lat === 51)).toBe(false);
    expect(column.has(0)).toBe(false);
  });
});

describe('Postings', () => {
  it.each([
    ['packed when that is worth its cost', 1_000, (postings: Postings) => postings.packWhenLarge()],
    ['packed in small steps', 1_000, (postings: Postings) => postings.packNext(3_000)],
    ['packed at once', 10_000, (postings: Postings) => postings.pack()],
  ])('gives back what was added, %s', (_, every, pack) => {
    const postings = new Postings(true);
    const expected = new Map<number, [number, number][]>();
    const check = (code: number, list: readonly [number, number][]) => {
      const { slots, frequencies } = postings.list(code);
      expect(postings.count(code)).toBe(list.length);
      expect([...slots]).toEqual(list.map(([slot]) => slot));
      expect([...(frequencies ?? [])]).toEqual(list.map(([, frequency]) => frequency));
    };
    // Enough to pack the log several times.
    for (let slot = 0; slot < 120_000; slot += 1) {
      for (const code of new Set([slot % 7, (slot * 31) % 1_000])) {
        const frequency = (slot % 3) + 1;
        for (let i = 0; i < frequency; i += 1) postings.addOccurrence(code, slot);
        const list = expected.get(code) ?? [];
        list.push([slot, frequency]);
        expected.set(code, list);
      }
      if (slot % every === 0) pack(postings);
      if (slot % 9_973 === 0) for (const code of [0, 31, 999]) check(code, expected.get(code) ?? []);
    }
    for (const [code, list] of expected) check(code, list);
    expect(postings.list(5_000).slots.length).toBe(0);
  });

  it('are packed in several steps once they are many', () => {
    const postings = new Postings(true);
    let steps = 0;
    for (let slot = 0; slot < 300_000; slot += 1) {
      for (let code = 0; code < 5; code += 1) postings.add((slot + code * 7) % 1_000, slot, 1);
      if (slot % 100 !== 0) continue;
      postings.packWhenLarge();
      if (postings.isPacking) steps += 1;
    }
    expect(steps).toBeGreaterThan(3);
    expect(postings.count(7)).toBe(1_500);
    const { slots } = postings.list(7);
    expect([...slots]).toEqual([...slots].sort((a, b) => a - b));
    expect(new Set(slots).size).toBe(1_500);
  });
});
