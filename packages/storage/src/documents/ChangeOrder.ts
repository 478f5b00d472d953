import {
  toCollectionKey,
  type CollectionName,
  type Cursor,
  type DocumentChange,
} from '@millrace/kernel';

/** A change before it gets its sequence number. */
export type UnnumberedChange = Omit<DocumentChange, 'sequence'>;

/** The removal of all documents of a collection at once. */
export interface Wipe extends CollectionName {
  readonly isWipe: true;
  readonly cursor: Cursor;
}

type Passed = UnnumberedChange | Wipe;

/** A write whose outcomes are not known as soon as they are committed. */
interface Batch {
  /** A position before its first change. */
  readonly after: Cursor;
  readonly collections: ReadonlySet<string>;
}

/**
 * Passes on the changes of this node in the order of their cursors, per collection: a subscriber that has received a
 * change resumes after it, and must not miss an earlier one.
 *
 * The outcomes of single writes arrive in this order. A batch may be written in several transactions, with the writes of
 * others between them, and its outcomes arrive together at the last one. So changes of its collections wait for it.
 * Changes without a cursor don't wait, nor do those of other collections: `reached` says up to which position the changes
 * of all collections have been passed on.
 */
export class ChangeOrder {
  private readonly batches = new Set<Batch>();
  private readonly held: Passed[] = [];
  /** The last known position. */
  private last: Cursor = '';

  constructor(private readonly deliver: (change: Passed, reached: Cursor | undefined) => void) {}

  /** Runs a write, whose result's changes are passed to `add` in `report`. */
  async run<T>(
    operations: readonly CollectionName[],
    write: () => Promise<T>,
    report: (result: T) => void,
  ): Promise<void> {
    if (operations.length === 1) {
      report(await write());
      return;
    }
    await this.runBatch(operations, write, report);
  }

  /** Runs a write that is not answered as soon as it is committed. */
  async runBatch<T>(
    names: readonly CollectionName[],
    write: () => Promise<T>,
    report: (result: T) => void,
  ): Promise<void> {
    const batch = { after: this.last, collections: new Set(names.map(toCollectionKey)) };
    this.batches.add(batch);
    try {
      report(await write());
    } finally {
      this.batches.delete(batch);
      this.flush();
    }
  }

  add(change: Passed): void {
    const { cursor } = change;
    if (cursor === undefined) {
      this.deliver(change, undefined);
      return;
    }
    if (cursor > this.last) this.last = cursor;
    if (this.isHeld(change)) this.held.push(change);
    else this.deliver(change, this.reached);
  }

  /** The changes up to here have been passed on. */
  private get reached(): Cursor {
    let reached = this.last;
    for (const { after } of this.batches) if (after < reached) reached = after;
    return reached;
  }

  /** Whether a running batch may have an earlier change of the same collection. */
  private isHeld(change: Passed): boolean {
    if (this.batches.size === 0) return false;
    const key = toCollectionKey(change);
    for (const { after, collections } of this.batches) {
      if (collections.has(key) && (change.cursor ?? '') > after) return true;
    }
    return false;
  }

  private flush(): void {
    if (this.held.length === 0) return;
    const due: Passed[] = [];
    const left: Passed[] = [];
    for (const change of this.held.splice(0)) (this.isHeld(change) ? left : due).push(change);
    for (const change of left) this.held.push(change);
    due.sort((a, b) => ((a.cursor ?? '') < (b.cursor ?? '') ? -1 : 1));
    const { reached } = this;
    const last = due.pop();
    // Until the last one, not all changes up to there are passed on.
    for (const change of due) this.deliver(change, undefined);
    if (last !== undefined) this.deliver(last, reached);
  }
}
