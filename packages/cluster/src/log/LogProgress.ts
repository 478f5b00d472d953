/* How far this node has read the log, and where each collection changed last. */
import { realtimeErrors, type Cursor } from '@millrace/kernel';
import type { LogStore } from '../LogStore.js';
import { END_OF_ENTRY, isOfOtherLog, parseCursor, timeOf, toCursor } from './positions.js';

const CATCH_UP_MS = 2_000;
/** A cursor that is so much later than this node's position is accepted: another node may have read further. */
const MAX_AHEAD_MS = 60_000;
const NO_ENTRY = '0-0';

export class LogProgress {
  private readonly lastChange = new Map<string, Cursor>();
  /** Every change after this position was taken by this node. */
  private lastOfAll: Cursor = '';
  private current = '';
  private entryId = NO_ENTRY;
  private arrivals: (() => void)[] = [];

  constructor(private readonly stream: Pick<LogStore, 'lastId'>) {}

  get epoch(): string {
    return this.current;
  }

  /** The newest entry that was read. */
  get lastEntryId(): string {
    return this.entryId;
  }

  head(): Cursor {
    return this.cursorAt(this.entryId, END_OF_ENTRY);
  }

  cursorAt(entryId: string, place: number): Cursor {
    return toCursor(this.current, entryId, place);
  }

  /** Positions belong to this epoch from now on. @param entryId absent: the same one */
  begin(epoch: string, entryId = this.entryId): void {
    this.current = epoch;
    this.entryId = entryId;
    this.lastChange.clear();
    this.lastOfAll = this.head();
  }

  /** Messages were lost. */
  missed(): void {
    this.lastOfAll = this.head();
  }

  /** A change of a collection (empty: of all) has been taken. */
  note(key: string, cursor: Cursor): void {
    if (key === '') this.lastOfAll = cursor;
    else this.lastChange.set(key, cursor);
  }

  /** A collection is not recorded any more. */
  forget(key: string): void {
    this.lastChange.delete(key);
  }

  /** Whether nothing happened to a collection after a position. */
  isQuietAfter(key: string, cursor: Cursor): boolean {
    return cursor >= (this.lastChange.get(key) ?? '') && cursor >= this.lastOfAll;
  }

  /** All messages of an entry have been taken. */
  taken(entryId: string): void {
    this.entryId = entryId;
    const all = this.arrivals;
    this.arrivals = [];
    for (const arrive of all) arrive();
  }

  /** See `ChangeLog.check`. */
  check(cursor: string): Cursor {
    if (isOfOtherLog(cursor, this.current)) return cursor;
    const position = parseCursor(cursor);
    if (position === undefined) throw invalid(`got ${JSON.stringify(cursor.slice(0, 40))}`);
    const isAhead = timeOf(position.entryId) > timeOf(this.entryId) + MAX_AHEAD_MS;
    if (isAhead) throw invalid('got one that is later than the last change');
    return cursor;
  }

  /**
   * Waits until this node has read everything that is in the stream now. @returns false if Redis is unavailable
   */
  async catchUp(): Promise<boolean> {
    const endMs = performance.now() + CATCH_UP_MS;
    const lastId = await this.stream.lastId().catch(() => undefined);
    if (lastId === undefined) return false;
    while (toCursor('', this.entryId, 0) < toCursor('', lastId, 0)) {
      if (performance.now() > endMs) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, CATCH_UP_MS).unref();
        this.arrivals.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return true;
  }
}

function invalid(reason: string): Error {
  return realtimeErrors.invalid_cursor({ field: 'cursor', reason });
}
