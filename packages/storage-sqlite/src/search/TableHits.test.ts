/* Cursors on all documents, which are read without the search index. */
import type { SearchOutcome } from '@millrace/kernel';
import { parseSearch } from '@millrace/query';
import { toOutcome } from '@millrace/search';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DamagedRow } from './index/CollectionRows.js';
import { TestCollection } from './TestCollection.test.support.js';

let things: TestCollection;
let cursorCount = 0;
beforeEach(() => {
  things = new TestCollection({ properties: { n: { type: 'integer' } } });
});
afterEach(() => {
  things.close();
});

function openCursor(body: Parameters<typeof parseSearch>[0]): () => SearchOutcome {
  const cursor = ++cursorCount;
  const request = parseSearch(body, { scroll: '1m' });
  things.tasks.run({ type: 'openCursor', collectionNumber: things.number, cursor, request });
  return () => toOutcome(things.tasks.run({ type: 'nextPage', cursor }));
}

describe('a scroll of all documents (SEARCH-81)', () => {
  it('returns what a scroll with the index returns, whatever is written meanwhile', () => {
    for (let round = 0; round < 40; round += 1) {
      for (let i = 0; i < 12; i += 1) things.put({ [`d${(round * 7 + i * 5) % 30}`]: { n: i } });
      things.delete(`d${round % 30}`, `d${(round * 3) % 30}`);
      const size = 1 + (round % 7);
      const pages = [
        openCursor({ size, version: true }),
        // A minimum score needs the index.
        openCursor({ size, version: true, min_score: 0 }),
      ] as const;
      for (let page = 0; page < 32; page += 1) {
        const [ofTable, ofIndex] = pages.map((next) => next());
        expect(ofTable).toEqual(ofIndex);
        if (page === 0) expect(ofTable?.hits.length).toBe(size);
        things.put({ [`d${(page * 11 + round) % 30}`]: { n: page }, [`new${round}`]: { n: 0 } });
        things.delete(`d${(page * 13 + round) % 30}`);
        if (ofTable?.hits.length === 0) break;
      }
    }
  });

  it('reads no document before its page, and repeats a page that failed', () => {
    things.put({ a: { n: 1 }, b: { n: 2 }, c: { n: 3 }, d: { n: 4 } });
    things.exec(`UPDATE docs_${things.number} SET c = c + 1 WHERE id = 'c'`);
    const next = openCursor({ size: 2 });
    expect(next()).toMatchObject({ total: 4, hits: [{ id: 'a' }, { id: 'b' }] });
    expect(next).toThrow(DamagedRow);
    expect(things.tasks.nameOf(things.number)).toEqual({ index: 'shop', collection: 'things' });
    things.exec(`UPDATE docs_${things.number} SET c = c - 1 WHERE id = 'c'`);
    expect(next()).toMatchObject({ total: 4, hits: [{ id: 'c' }, { id: 'd' }] });
    expect(next().hits).toEqual([]);
  });
});
