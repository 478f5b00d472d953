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
import { newEpoch } from '../schema/changeLogTables.js';
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
  /** Set once another engine has the documents: positions that have no changes after them. */
  private ended: { readonly epoch: string; seq: number } | undefined;

  constructor(
    /** @throws storage.unavailable while the engine is not started */
    private readonly opened: () => LogParts,
  ) {}

  get epoch(): string {
    return this.ended?.epoch ?? this.opened().recorded.epoch;
  }

  /** Records and replays nothing more: another engine has the documents. The engine may be stopped then. */
  end(): void {
    this.ended ??= { epoch: newEpoch(), seq: 0 };
  }

  /** After the end each is another one, as results of followed searches are distinguished by them. */
  head(): Cursor {
    const { ended } = this;
    if (ended !== undefined) return formatCursor(ended.epoch, ended.seq++);
    return formatCursor(this.epoch, this.opened().writer.lastSeq);
  }

  /** The cursor of a position of the writer. */
  cursorAt(seq: number | undefined): Cursor | undefined {
    return seq === undefined ? undefined : formatCursor(this.epoch, seq);
  }

  async cover(name: CollectionName): Promise<void> {
    if (this.ended === undefined) await this.opened().recorded.cover(name);
  }

  release(name: CollectionName, client?: string): void {
    if (this.ended === undefined) this.opened().recorded.release(name, client);
  }

  async pin(name: CollectionName, holder: string, cursor: Cursor | null): Promise<void> {
    const { index, collection } = name;
    const position = cursor === null ? undefined : parseCursor(this.check(cursor));
    // A cursor of another log keeps nothing.
    if (this.ended !== undefined || (position !== undefined && position.epoch !== this.epoch)) return;
    const seq = position?.seq ?? null;
    await this.opened().writer.submit({ type: 'pin', index, collection, holder, seq });
  }

  async erase({ index, collection }: CollectionName): Promise<void> {
    if (this.ended === undefined) await this.opened().writer.submit({ type: 'eraseHistory', index, collection });
  }

  oldest(name: CollectionName): Cursor | undefined {
    return this.ended === undefined ? this.cursorAt(this.opened().changeReader.oldest(name)) : undefined;
  }

  size(): ChangeLogSize {
    return this.ended === undefined ? this.opened().changeReader.size() : { bytes: 0, oldestAtMs: null };
  }

  check(cursor: string): Cursor {
    const position = parseCursor(cursor);
    if (position !== undefined && position.epoch !== this.epoch) return cursor;
    if (position?.seq === undefined) throw invalid(`got ${JSON.stringify(cursor.slice(0, 40))}`);
    if (this.ended !== undefined) return cursor;
    const { writer, changeReader } = this.opened();
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
    if (this.ended !== undefined) return { gap: 'not_recorded' };
    return this.opened().changeReader.changesAfter({ name, seq, limits, epoch: this.epoch });
  }

  async netChangesAfter(name: CollectionName, after: Cursor, limits: ReplayLimits): Promise<Replay<NetChange>> {
    const seq = this.positionOf(after);
    if (seq === undefined) return { gap: 'epoch_changed' };
    if (this.ended !== undefined) return { gap: 'not_recorded' };
    return this.opened().changeReader.netChangesAfter({ name, seq, limits, epoch: this.epoch });
  }

  async netChangesAfterEach(
    name: CollectionName,
    afters: readonly Cursor[],
    limits: ReplayLimits,
  ): Promise<Replay<NetChange>> {
    const seqs = afters.map((after) => this.positionOf(after));
    if (!seqs.every((seq) => seq !== undefined)) return { gap: 'epoch_changed' };
    if (this.ended !== undefined) return { gap: 'not_recorded' };
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
