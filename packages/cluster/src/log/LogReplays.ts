/* Reads the recorded changes of a collection after a cursor. */
import {
  toCollectionKey,
  type CollectionName,
  type Cursor,
  type LoggedChange,
  type LoggedWipe,
  type NetChange,
  type Replay,
  type ReplayLimits,
} from '@millrace/kernel';
import type { CoverSharing } from './CoverSharing.js';
import type { LogProgress } from './LogProgress.js';
import type { LogRange, LogReader } from './LogReader.js';
import { parseCursor, toCursor } from './positions.js';

type Unread =
  | { readonly gap: 'epoch_changed' | 'not_recorded' | 'node_lost' }
  | { readonly head: Cursor; readonly changes: readonly [] };

/** Reads what is after a cursor, or says why that is not known. */
export class LogReplays {
  constructor(
    private readonly progress: LogProgress,
    private readonly covers: CoverSharing,
    private readonly reader: LogReader,
  ) {}

  /** See `ChangeLog.changesAfter`. */
  async changesAfter(
    name: CollectionName,
    after: Cursor,
    limits: ReplayLimits,
  ): Promise<Replay<LoggedChange | LoggedWipe>> {
    const range = await this.rangeAfter(name, after);
    return 'key' in range ? this.reader.changesAfter(range, limits) : range;
  }

  /** See `ChangeLog.netChangesAfter`. */
  async netChangesAfter(name: CollectionName, after: Cursor, limits: ReplayLimits): Promise<Replay<NetChange>> {
    const range = await this.rangeAfter(name, after);
    return 'key' in range ? this.reader.netChangesAfter(range, limits) : range;
  }

  /** The range to read; or why there is none, or nothing in it. */
  private async rangeAfter(name: CollectionName, cursor: Cursor): Promise<LogRange | Unread> {
    const { progress } = this;
    const after = parseCursor(progress.check(cursor));
    if (after === undefined || after.epoch !== progress.epoch) return { gap: 'epoch_changed' };
    // The node that this cursor comes from may be ahead.
    if (!(await progress.catchUp())) return { gap: 'node_lost' };
    const { epoch, lastEntryId: upTo } = progress;
    if (after.epoch !== epoch) return { gap: 'epoch_changed' };
    const head = progress.head();
    // Not given out yet: the reader sees it by the head.
    if (cursor > head) return { head, changes: [] };
    const key = toCollectionKey(name);
    const since = this.covers.sinceOf(key);
    if (since === undefined || cursor < toCursor(epoch, since, 0)) return { gap: 'not_recorded' };
    return progress.isQuietAfter(key, cursor) ? { head, changes: [] } : { key, epoch, after, upTo, head };
  }
}
