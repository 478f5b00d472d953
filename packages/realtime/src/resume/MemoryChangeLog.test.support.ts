import {
  realtimeErrors,
  type ChangeLog,
  type ChangeOrigin,
  type CollectionName,
  type Cursor,
  type DocumentImage,
  type GapReason,
  type LoggedChange,
  type LoggedWipe,
  type NetChange,
  type Replay,
  type ReplayLimits,
} from '@millrace/kernel';

/** Test support: a change log of one collection in memory, with its documents. */
export class MemoryChangeLog implements ChangeLog {
  readonly documents = new Map<string, DocumentImage>();
  readonly calls: string[] = [];
  /** Set: every reading answers with this gap. */
  gap: GapReason | undefined;
  /** Readings end after it. */
  reading: Promise<void> | undefined;
  private readonly rows: (LoggedChange | LoggedWipe)[] = [];
  private seq = 0;
  private trimmedSeq = 0;

  constructor(readonly epoch = 'e1') {}

  /** Applies and records a write. @param source null: a deletion @returns undefined if there was nothing to delete */
  write(
    id: string,
    source: DocumentImage['source'] | null,
    { isSilent = false, origin = null }: { isSilent?: boolean; origin?: ChangeOrigin | null } = {},
  ): LoggedChange | undefined {
    const before = this.documents.get(id) ?? null;
    if (source === null && before === null) return undefined;
    const meta = { createdAt: null, updatedAt: null, author: null, updater: null };
    const after = source && { source, meta, version: (before?.version ?? 0) + 1 };
    if (after === null) this.documents.delete(id);
    else this.documents.set(id, after);
    const cursor = this.cursorOf(++this.seq);
    const row: LoggedChange = { kind: 'document', cursor, id, before, after, atMs: 5, origin, isSilent };
    this.rows.push(row);
    return row;
  }

  wipe(): void {
    this.documents.clear();
    this.rows.push({ kind: 'wiped', cursor: this.cursorOf(++this.seq), atMs: 5 });
  }

  /** Forgets everything so far. */
  trim(): void {
    this.rows.length = 0;
    this.trimmedSeq = this.seq;
  }

  head(): Cursor {
    return this.cursorOf(this.seq);
  }

  oldest(): Cursor {
    return this.cursorOf(this.trimmedSeq);
  }

  cover({ collection }: CollectionName): void {
    this.calls.push(`cover ${collection}`);
  }

  release({ collection }: CollectionName): void {
    this.calls.push(`release ${collection}`);
  }

  pin({ collection }: CollectionName, holder: string, cursor: Cursor | null): void {
    this.calls.push(`pin ${collection} ${holder} ${cursor}`);
  }

  check(cursor: string): Cursor {
    const reason = !/^\w+\.\d{8}$/.test(cursor)
      ? `got ${JSON.stringify(cursor)}`
      : cursor.startsWith(`${this.epoch}.`) && cursor > this.head()
        ? 'got a later one'
        : undefined;
    if (reason !== undefined) throw realtimeErrors.invalid_cursor({ field: 'cursor', reason });
    return cursor;
  }

  async changesAfter(
    _: CollectionName,
    after: Cursor,
    { maxChanges }: ReplayLimits,
  ): Promise<Replay<LoggedChange | LoggedWipe>> {
    this.calls.push(`changesAfter ${after}`);
    const head = this.head();
    // The answer comes later than what it says.
    const changes = this.rows.filter(({ cursor }) => cursor > after);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await this.reading;
    const gap = this.gapAfter(after);
    if (gap !== undefined) return { gap };
    return changes.length > maxChanges ? { gap: 'too_much' } : { head, changes };
  }

  async netChangesAfter(name: CollectionName, after: Cursor, limits: ReplayLimits): Promise<Replay<NetChange>> {
    const read = await this.changesAfter(name, after, { ...limits, maxChanges: Infinity });
    if ('gap' in read) return read;
    const net = new Map<string, NetChange>();
    for (const row of read.changes) {
      if (row.kind === 'wiped') return { gap: 'wiped' };
      const { id, after: now, cursor, atMs } = row;
      const before = net.has(id) ? (net.get(id)?.before ?? null) : row.before;
      net.delete(id);
      net.set(id, { id, before, after: now, cursor, atMs });
    }
    const changes = [...net.values()].filter(({ before, after: now }) => before ?? now);
    return changes.length > limits.maxChanges ? { gap: 'too_much' } : { head: read.head, changes };
  }

  private gapAfter(after: Cursor): GapReason | undefined {
    if (this.gap !== undefined) return this.gap;
    if (!after.startsWith(`${this.epoch}.`)) return 'epoch_changed';
    return after < this.cursorOf(this.trimmedSeq) ? 'expired' : undefined;
  }

  private cursorOf(seq: number): Cursor {
    return `${this.epoch}.${String(seq).padStart(8, '0')}`;
  }
}
