import { queryErrors, type SearchCursor, type SearchOutcome } from '@millrace/kernel';
import { parseSearch, type Query } from '@millrace/query';
import { beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from './catalog/Catalog.js';
import type { Collection } from './catalog/CollectionMapping.js';
import { CollectionUses } from './CollectionUses.js';
import { Readers } from './Readers.js';
import type { SearchThread } from './search/SearchThread.js';
import type { WriterThread } from './writer/WriterThread.js';

const NAME = { index: 'i', collection: 'c' };
const REQUEST = parseSearch({});

let catalog: Catalog;
let collection: Collection;
let retired: number[];
let readers: Readers;
let uses: CollectionUses;
/** The change to the catalog by the writer's responses that have not arrived yet. */
let answersUnderWay: () => void;
let closedCursors: number;

const emptyCursor: SearchCursor = {
  next: () => Promise.resolve({ hits: [], total: 0, maxScore: null, timedOut: false }),
  close: () => {
    closedCursors += 1;
    return Promise.resolve();
  },
};

const search = {
  openCursor: () => Promise.resolve(emptyCursor),
  async *scan() {
    await Promise.resolve();
    yield [{ id: 'a', version: 1 }];
    if (catalog.find(NAME) === undefined) throw new Error('no such table');
    yield [{ id: 'b', version: 1 }];
  },
} as unknown as SearchThread;

beforeEach(() => {
  catalog = new Catalog();
  collection = catalog.addCollection({
    collectionNumber: 1,
    ...NAME,
    mapping: '{"properties":{}}',
    mappingVersion: 1,
  });
  retired = [];
  closedCursors = 0;
  answersUnderWay = () => undefined;
  const writer = {
    submit: (entry: { readonly type: string }) => {
      if (entry.type === 'ping') answersUnderWay();
      return Promise.resolve({ type: 'done' });
    },
  } as unknown as WriterThread;
  uses = new CollectionUses(writer);
  readers = new Readers(catalog, search, uses, writer, (collectionNumber) => retired.push(collectionNumber));
});

/** A search that finds the tables of number 1 deleted. */
function searchGoneTables(_thread: SearchThread, collectionNumber: number): Promise<number> {
  return collectionNumber === 1
    ? Promise.reject(new Error('no such table: docs_1'))
    : Promise.resolve(collectionNumber);
}

describe('Readers', () => {
  it('searches again under the new number when a truncate took the tables away', async () => {
    answersUnderWay = () => {
      collection.number = 2;
    };
    expect(await readers.run(NAME, searchGoneTables)).toBe(2);
  });

  it('refuses with storage.collection_not_found when the collection went meanwhile', async () => {
    answersUnderWay = () => {
      catalog.removeCollection(NAME);
    };
    await expect(readers.run(NAME, searchGoneTables)).rejects.toMatchObject({
      id: 'storage.collection_not_found',
    });
  });

  it('passes on the failure of a search on a collection that is still there', async () => {
    await expect(readers.run(NAME, searchGoneTables)).rejects.toThrow('no such table');
  });

  it('runs a refused request once', async () => {
    let runs = 0;
    const refuse = (): Promise<SearchOutcome> => {
      runs += 1;
      return Promise.reject(queryErrors.invalid({ reason: 'no' }));
    };
    answersUnderWay = () => {
      collection.number += 1;
    };
    await expect(readers.run(NAME, refuse)).rejects.toMatchObject({ id: 'query.invalid' });
    expect(runs).toBe(1);
  });

  it('keeps the tables of a truncated collection until its last cursor is closed, however often', async () => {
    const first = await readers.openCursor(NAME, REQUEST);
    const second = await readers.openCursor(NAME, REQUEST);
    expect(uses.isHeld(1)).toBe(true);
    collection.formerNumbers.add(1);
    collection.number = 2;
    await first.close();
    await first.close();
    expect(retired).toEqual([]);
    await second.close();
    expect([retired, closedCursors]).toEqual([[1], 2]);
  });

  it('ends a scan with storage.collection_not_found when the collection goes, and holds nothing after', async () => {
    const scan = async () => {
      for await (const batch of readers.scan(NAME, {} as Query)) {
        expect(batch).toEqual([{ id: 'a', version: 1 }]);
        catalog.removeCollection(NAME);
      }
    };
    await expect(scan()).rejects.toMatchObject({ id: 'storage.collection_not_found' });
    expect(uses.isHeld(1)).toBe(false);
  });

  it('holds nothing after a scan that its reader left', async () => {
    for await (const batch of readers.scan(NAME, {} as Query)) {
      expect([batch.length, uses.isHeld(1)]).toEqual([1, true]);
      break;
    }
    expect(uses.isHeld(1)).toBe(false);
  });
});
