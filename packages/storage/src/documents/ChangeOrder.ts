import type { CollectionName, Cursor, DocumentChange } from '@millrace/kernel';

/** A change before it gets its sequence number. */
export type UnnumberedChange = Omit<DocumentChange, 'sequence'>;

/** The removal of all documents of collections at once. */
export interface Wipe {
  readonly wiped: readonly CollectionName[];
  readonly cursor: Cursor;
}

/**
 * Passes on the changes of this node in the order of their cursors: a subscriber that has received a change resumes
 * after it, and must not miss an earlier one.
 *
 * The outcomes of single writes arrive in this order. A batch may be written in several transactions, with the writes of
 * others between them, and its outcomes arrive together when it ends. So changes that are later than a position at which a
 * batch was running wait for the end of that batch. Changes without a cursor don't wait.
 */
export class ChangeOrder {
  /** For each running batch a position before its first change. */
  private readonly batches = new Set<{ readonly after: Cursor }>();
  private readonly held: (UnnumberedChange | Wipe)[] = [];
  /** The last known position. */
  private last: Cursor = '';

  constructor(private readonly deliver: (change: UnnumberedChange | Wipe) => void) {}

  /** Runs a write, whose result's changes are passed to `add` in `report`. */
  async run<T>(
    operationCount: number,
    write: () => Promise<T>,
    report: (result: T) => void,
  ): Promise<void> {
    if (operationCount === 1) {
      report(await write());
      return;
    }
    await this.runBatch(write, report);
  }

  /** Runs a write that is not answered as soon as it is committed. */
  async runBatch<T>(write: () => Promise<T>, report: (result: T) => void): Promise<void> {
    const batch = { after: this.last };
    this.batches.add(batch);
    try {
      report(await write());
    } finally {
      this.batches.delete(batch);
      this.flush();
    }
  }

  add(change: UnnumberedChange | Wipe): void {
    const { cursor } = change;
    if (cursor === undefined) {
      this.deliver(change);
      return;
    }
    if (cursor > this.last) this.last = cursor;
    if (this.batches.size === 0) this.deliver(change);
    else this.held.push(change);
  }

  private flush(): void {
    if (this.held.length === 0) return;
    let safe: Cursor | undefined;
    for (const { after } of this.batches) if (safe === undefined || after < safe) safe = after;
    this.held.sort((a, b) => ((a.cursor ?? '') < (b.cursor ?? '') ? -1 : 1));
    const limit = safe;
    const end = this.held.findIndex(({ cursor = '' }) => limit !== undefined && cursor > limit);
    for (const change of this.held.splice(0, end === -1 ? this.held.length : end)) {
      this.deliver(change);
    }
  }
}
