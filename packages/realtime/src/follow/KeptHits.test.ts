import { describe, expect, it } from 'vitest';
import type { KeptHit } from './KeptHit.js';
import { KeptHits } from './KeptHits.js';

const hitOf = (place: number, json = '{}'): KeptHit => ({ id: `h${place}`, version: 1, json, sort: [place] });
const open = (places: readonly number[], isAll: boolean) =>
  new KeptHits(
    places.map((place) => hitOf(place)),
    isAll,
    { needed: 2, max: 4 },
  );
const insert = (kept: KeptHits, place: number, json?: string) => {
  kept.insert(
    ([other]) => place > Number(other),
    () => hitOf(place, json),
  );
};
const placesOf = (kept: KeptHits) => kept.slice(0, 9).map(({ sort }) => sort[0]);

describe('KeptHits (FOLLOW-9)', () => {
  it('keeps the first hits in order, and drops those beyond the extent', () => {
    const kept = open([1, 3, 5], true);
    for (const place of [4, 0, 9]) insert(kept, place);
    expect(placesOf(kept)).toEqual([0, 1, 3, 4]);
    // Dropped hits are unknown, so hits after the last one that was kept then are too.
    kept.remove('h3');
    insert(kept, 5);
    expect(placesOf(kept)).toEqual([0, 1, 4]);
    insert(kept, 2);
    expect([placesOf(kept), kept.isShort]).toEqual([[0, 1, 2, 4], false]);
  });

  it('must be searched again once fewer hits are known than are needed', () => {
    const kept = open([1, 3, 5], false);
    kept.remove('absent');
    kept.remove('h1');
    expect(kept.isShort).toBe(false);
    kept.remove('h5');
    expect(kept.isShort).toBe(true);
    // The bound stays that of the search.
    insert(kept, 4);
    expect([placesOf(kept), kept.isShort]).toEqual([[3, 4], false]);
    const all = open([1], true);
    all.remove('h1');
    expect(all.isShort).toBe(false);
  });

  it('counts the memory of what it keeps (FOLLOW-8)', () => {
    const kept = open([1, 3, 5], true);
    const before = kept.bytes;
    insert(kept, 2, 'x'.repeat(1_000));
    expect(kept.bytes - before).toBeGreaterThanOrEqual(1_000);
    kept.remove('h2');
    expect(kept.bytes).toBe(before);
    for (const place of [2, 4]) insert(kept, place);
    expect(kept.bytes).toBe((before / 3) * 4);
  });
});
