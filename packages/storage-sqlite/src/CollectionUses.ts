import type { CollectionUse, WriterEntry } from './writer/WriterEntry.js';
import type { WriterThread } from './writer/WriterThread.js';

interface UseState {
  isSearched: boolean;
  cursors: number;
  scans: number;
  /** Settles when the writer has received `isSearched`; undefined from then on. */
  searchable: Promise<void> | undefined;
}

/**
 * Counts the readers of each collection and reports them to the writer, which keeps data for readers only while they
 * need it: tombstones once a collection is searched, dead rows while a cursor is open, the tables of a truncated
 * collection until the last cursor or scan has ended.
 */
export class CollectionUses {
  private readonly states = new Map<number, UseState>();

  constructor(private readonly writer: WriterThread) {}

  /** @returns a promise at the first search: until it resolves, the search index may miss deletions */
  search(collectionNumber: number): Promise<void> | undefined {
    const state = this.stateOf(collectionNumber);
    if (!state.isSearched) {
      state.isSearched = true;
      state.searchable = this.notify(collectionNumber, state).then(
        () => {
          state.searchable = undefined;
        },
        (error: unknown) => {
          state.isSearched = false;
          throw error;
        },
      );
    }
    return state.searchable;
  }

  isSearched(collectionNumber: number): boolean {
    return this.states.get(collectionNumber)?.isSearched === true;
  }

  /**
   * From the moment this resolves until `release`, the writer keeps the tables, and for a cursor the dying rows too.
   * @param usesIndex the reader uses the search index
   */
  async hold(collectionNumber: number, reader: 'cursors' | 'scans', usesIndex = true): Promise<void> {
    const state = this.stateOf(collectionNumber);
    state.isSearched ||= usesIndex;
    state[reader] += 1;
    try {
      await this.notify(collectionNumber, state);
    } catch (error) {
      this.release(collectionNumber, reader);
      throw error;
    }
  }

  /** Ends one `hold`. @returns whether other holds remain */
  release(collectionNumber: number, reader: 'cursors' | 'scans'): boolean {
    const state = this.states.get(collectionNumber);
    if (state === undefined) return false;
    state[reader] -= 1;
    // A writer that is down receives it later from `entries`.
    this.notify(collectionNumber, state).catch(() => undefined);
    return isHeld(state);
  }

  isHeld(collectionNumber: number): boolean {
    const state = this.states.get(collectionNumber);
    return state !== undefined && isHeld(state);
  }

  /** The collection is gone, even if it still has readers. */
  forget(collectionNumber: number): void {
    if (!this.states.delete(collectionNumber)) return;
    this.writer
      .submit({ type: 'use', collectionNumber, tombstones: false, retained: false, held: false })
      .catch(() => undefined);
  }

  /** All uses as entries, for a writer that replaces a dead one. */
  entries(): WriterEntry[] {
    return [...this.states].map(([collectionNumber, state]) => ({
      type: 'use',
      collectionNumber,
      ...useOf(state),
    }));
  }

  private stateOf(collectionNumber: number): UseState {
    let state = this.states.get(collectionNumber);
    if (state === undefined) {
      state = { isSearched: false, cursors: 0, scans: 0, searchable: undefined };
      this.states.set(collectionNumber, state);
    }
    return state;
  }

  private async notify(collectionNumber: number, state: UseState): Promise<void> {
    await this.writer.submit({ type: 'use', collectionNumber, ...useOf(state) });
  }
}

function isHeld(state: UseState): boolean {
  return state.cursors > 0 || state.scans > 0;
}

function useOf(state: UseState): CollectionUse {
  return { tombstones: state.isSearched, retained: state.cursors > 0, held: isHeld(state) };
}
