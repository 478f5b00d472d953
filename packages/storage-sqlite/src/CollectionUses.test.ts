import { describe, expect, it } from 'vitest';
import { CollectionUses } from './CollectionUses.js';
import type { WriterEntry } from './writer/WriterEntry.js';
import type { WriterThread } from './writer/WriterThread.js';

/** A writer that records the entries it receives, and can be made unreachable. */
class NotingWriter {
  readonly told: string[] = [];
  isDown = false;

  submit(entry: WriterEntry): Promise<{ type: 'done' }> {
    if (this.isDown) return Promise.reject(new Error('down'));
    if (entry.type !== 'use') throw new Error(entry.type);
    const flags = [entry.tombstones && 'tombstones', entry.retained && 'retained', entry.held && 'held'];
    this.told.push(`${entry.collectionNumber} ${flags.filter(Boolean).join(' ')}`.trim());
    return Promise.resolve({ type: 'done' });
  }
}

function open(): { uses: CollectionUses; writer: NotingWriter } {
  const writer = new NotingWriter();
  return { uses: new CollectionUses(writer as unknown as WriterThread), writer };
}

describe('CollectionUses', () => {
  it('asks for tombstones before the first search and never again', async () => {
    const { uses, writer } = open();
    const first = uses.search(1);
    expect(first).toBeInstanceOf(Promise);
    expect(uses.search(1)).toBe(first);
    await first;
    expect(uses.search(1)).toBeUndefined();
    expect(writer.told).toEqual(['1 tombstones']);
  });

  it('asks again at the next search when the writer was out of reach', async () => {
    const { uses, writer } = open();
    writer.isDown = true;
    await expect(uses.search(1)).rejects.toThrow('down');
    expect(uses.isSearched(1)).toBe(false);
    writer.isDown = false;
    await uses.search(1);
    expect(writer.told).toEqual(['1 tombstones']);
  });

  it('keeps dying rows from the first cursor to the last', async () => {
    const { uses, writer } = open();
    await uses.hold(1, 'cursors');
    await uses.hold(1, 'cursors');
    await uses.hold(1, 'scans');
    expect(uses.release(1, 'cursors')).toBe(true);
    expect(uses.release(1, 'cursors')).toBe(true);
    expect(uses.isHeld(1)).toBe(true);
    expect(uses.release(1, 'scans')).toBe(false);
    expect(writer.told.slice(2)).toEqual([
      '1 tombstones retained held',
      '1 tombstones retained held',
      '1 tombstones held',
      '1 tombstones',
    ]);
  });

  it('tells a new writer all of it, and nothing of collections that are gone', async () => {
    const { uses } = open();
    await uses.search(1);
    await uses.hold(2, 'cursors');
    await uses.search(3);
    uses.forget(3);
    expect(uses.entries()).toEqual([
      { type: 'use', collectionNumber: 1, tombstones: true, retained: false, held: false },
      { type: 'use', collectionNumber: 2, tombstones: true, retained: true, held: true },
    ]);
  });
});
