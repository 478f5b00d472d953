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
  search(k: number): Promise<void> | undefined {
    const state = this.stateOf(k);
    if (!state.isSearched) {
      state.isSearched = true;
      state.searchable = this.tell(k, state).then(
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

  isSearched(k: number): boolean {
    return this.states.get(k)?.isSearched === true;
  }

  /**
   * From the moment this resolves until `release`, the writer keeps the tables, and for a cursor the dying rows too.
   */
  async hold(k: number, reader: 'cursors' | 'scans'): Promise<void> {
    const state = this.stateOf(k);
    state.isSearched = true;
    state[reader] += 1;
    try {
      await this.tell(k, state);
    } catch (error) {
      this.release(k, reader);
      throw error;
    }
  }

  /** Ends one `hold`. @returns whether other holds remain */
  release(k: number, reader: 'cursors' | 'scans'): boolean {
    const state = this.states.get(k);
    if (state === undefined) return false;
    state[reader] -= 1;
    // A writer that is down receives it later from `entries`.
    this.tell(k, state).catch(() => undefined);
    return isHeld(state);
  }

  isHeld(k: number): boolean {
    const state = this.states.get(k);
    return state !== undefined && isHeld(state);
  }

  /** The collection is gone, even if it still has readers. */
  forget(k: number): void {
    if (!this.states.delete(k)) return;
    this.writer
      .submit({ type: 'use', k, tombstones: false, retained: false, held: false })
      .catch(() => undefined);
  }

  /** All uses as entries, for a writer that replaces a dead one. */
  entries(): WriterEntry[] {
    return [...this.states].map(([k, state]) => ({ type: 'use', k, ...useOf(state) }));
  }

  private stateOf(k: number): UseState {
    let state = this.states.get(k);
    if (state === undefined) {
      state = { isSearched: false, cursors: 0, scans: 0, searchable: undefined };
      this.states.set(k, state);
    }
    return state;
  }

  private async tell(k: number, state: UseState): Promise<void> {
    await this.writer.submit({ type: 'use', k, ...useOf(state) });
  }
}

function isHeld(state: UseState): boolean {
  return state.cursors > 0 || state.scans > 0;
}

function useOf(state: UseState): CollectionUse {
  return { tombstones: state.isSearched, retained: state.cursors > 0, held: isHeld(state) };
}
