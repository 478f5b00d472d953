import {
  realtimeErrors,
  type ChangeLog,
  type ChangeLogSize,
  type CollectionName,
  type Cursor,
  type LoggedChange,
  type LoggedWipe,
  type NetChange,
  type Replay,
  type ReplayLimits,
} from '@millrace/kernel';
import type { WriterThread } from '../writer/WriterThread.js';
import type { ChangeReader } from './ChangeReader.js';
import { formatCursor, parseCursor } from './formatCursor.js';
import type { RecordedCollections } from './RecordedCollections.js';

/** What the log needs of an opened engine. */
interface LogParts {
  readonly writer: WriterThread;
  readonly recorded: RecordedCollections;
  readonly changeReader: ChangeReader;
}

/** The change log of the embedded engine: `ChangeLog` documents the methods. */
export class SqliteChangeLog implements ChangeLog {
  constructor(
    /** @throws storage.unavailable while the engine is not started */
    private readonly opened: () => LogParts,
  ) {}

  get epoch(): string {
    return this.opened().recorded.epoch;
  }

  head(): Cursor {
    return formatCursor(this.epoch, this.opened().writer.lastSeq);
  }

  /** The cursor of a position of the writer. */
  cursorAt(seq: number | undefined): Cursor | undefined {
    return seq === undefined ? undefined : formatCursor(this.epoch, seq);
  }

  cover(name: CollectionName): Promise<void> {
    return this.opened().recorded.cover(name);
  }

  release(name: CollectionName, client?: string): void {
    this.opened().recorded.release(name, client);
  }

  async pin(name: CollectionName, holder: string, cursor: Cursor | null): Promise<void> {
    const { index, collection } = name;
    const position = cursor === null ? undefined : parseCursor(this.check(cursor));
    // A cursor of another log keeps nothing.
    if (position !== undefined && position.epoch !== this.epoch) return;
    const seq = position?.seq ?? null;
    await this.opened().writer.submit({ type: 'pin', index, collection, holder, seq });
  }

  async erase({ index, collection }: CollectionName): Promise<void> {
    await this.opened().writer.submit({ type: 'eraseHistory', index, collection });
  }

  size(): ChangeLogSize {
    return this.opened().changeReader.size();
  }

  check(cursor: string): Cursor {
    const position = parseCursor(cursor);
    const { writer, recorded, changeReader } = this.opened();
    if (position !== undefined && position.epoch !== recorded.epoch) return cursor;
    if (position?.seq === undefined) throw invalid(`got ${JSON.stringify(cursor.slice(0, 40))}`);
    if (position.seq > Math.max(writer.lastSeq, changeReader.lastHead)) {
      throw invalid('got one that is later than the last change');
    }
    return cursor;
  }

  async changesAfter(
    name: CollectionName,
    after: Cursor,
    limits: ReplayLimits,
  ): Promise<Replay<LoggedChange | LoggedWipe>> {
    const seq = this.positionOf(after);
    if (seq === undefined) return { gap: 'epoch_changed' };
    return this.opened().changeReader.changesAfter({ name, seq, limits, epoch: this.epoch });
  }

  async netChangesAfter(name: CollectionName, after: Cursor, limits: ReplayLimits): Promise<Replay<NetChange>> {
    const seq = this.positionOf(after);
    if (seq === undefined) return { gap: 'epoch_changed' };
    return this.opened().changeReader.netChangesAfter({ name, seq, limits, epoch: this.epoch });
  }

  async netChangesAfterEach(
    name: CollectionName,
    afters: readonly Cursor[],
    limits: ReplayLimits,
  ): Promise<Replay<NetChange>> {
    const seqs = afters.map((after) => this.positionOf(after));
    if (!seqs.every((seq) => seq !== undefined)) return { gap: 'epoch_changed' };
    const request = { name, seq: seqs[0] ?? 0, limits, epoch: this.epoch };
    return this.opened().changeReader.netChangesAfter(request, seqs);
  }

  /** @returns undefined for a cursor of another log */
  private positionOf(cursor: Cursor): number | undefined {
    const position = parseCursor(this.check(cursor));
    return position?.epoch === this.epoch ? position.seq : undefined;
  }
}

function invalid(reason: string): Error {
  return realtimeErrors.invalid_cursor({ field: 'cursor', reason });
}
