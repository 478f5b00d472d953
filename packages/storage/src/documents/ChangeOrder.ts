import { toCollectionKey, type CollectionName, type Cursor, type DocumentChange } from '@millrace/kernel';

/** A change before it gets its sequence number. */
export type UnnumberedChange = Omit<DocumentChange, 'sequence'>;

/** The removal of all documents of a collection at once. */
export interface Wipe extends CollectionName {
  readonly isWipe: true;
  readonly cursor: Cursor;
}

type Passed = UnnumberedChange | Wipe;

interface HeldChange {
  readonly change: Passed;
  /** Of its JSON; 0 for a change of a batch that has just ended: most of those are passed on at once. */
  characters: number;
}

/** Characters of the JSON of all changes that wait. */
const MAX_HELD_CHARACTERS = 64 * 2 ** 20;

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
 * of all collections have been passed on. If the changes that wait take too much memory, further writes of a collection
 * with a running batch begin after it: each batch ends by itself, so they never wait for one another.
 */
export class ChangeOrder {
  private readonly batches = new Set<Batch>();
  private held: HeldChange[] = [];
  private heldCharacters = 0;
  /** Whether the changes of a batch that has ended are being added. */
  private isReporting = false;
  /** Writes that have not begun. */
  private waiting: (() => void)[] = [];
  /** The last known position. */
  private last: Cursor = '';

  constructor(
    private readonly deliver: (change: Passed, reached: Cursor | undefined) => void,
    private readonly maxHeldCharacters = MAX_HELD_CHARACTERS,
  ) {}

  /** Runs a write, whose result's changes are passed to `add` in `report`. */
  async run<T>(
    operations: readonly CollectionName[],
    write: () => Promise<T>,
    report: (result: T) => void,
  ): Promise<void> {
    if (operations.length === 1) {
      while (this.isFullFor(operations)) await this.flushed();
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
    while (this.isFullFor(names)) await this.flushed();
    const batch = { after: this.last, collections: new Set(names.map(toCollectionKey)) };
    this.batches.add(batch);
    try {
      const result = await write();
      this.isReporting = true;
      report(result);
    } finally {
      this.isReporting = false;
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
    if (this.isHeld(change)) this.hold(change);
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

  private hold(change: Passed): void {
    const held: HeldChange = { change, characters: 0 };
    this.held.push(held);
    if (!this.isReporting) this.count(held);
  }

  private count(held: HeldChange): void {
    held.characters = JSON.stringify(held.change).length;
    this.heldCharacters += held.characters;
  }

  private isFullFor(names: readonly CollectionName[]): boolean {
    if (this.heldCharacters <= this.maxHeldCharacters) return false;
    return names.some((name) => {
      const key = toCollectionKey(name);
      for (const { collections } of this.batches) if (collections.has(key)) return true;
      return false;
    });
  }

  private flushed(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private flush(): void {
    const due: Passed[] = [];
    const left: HeldChange[] = [];
    for (const each of this.held) {
      if (this.isHeld(each.change)) {
        left.push(each);
        if (each.characters === 0) this.count(each);
      } else {
        due.push(each.change);
        this.heldCharacters -= each.characters;
      }
    }
    this.held = left;
    this.pass(due);
    for (const resume of this.waiting.splice(0)) resume();
  }

  private pass(due: Passed[]): void {
    due.sort((a, b) => ((a.cursor ?? '') < (b.cursor ?? '') ? -1 : 1));
    const { reached } = this;
    const last = due.pop();
    // Until the last one, not all changes up to there are passed on.
    for (const change of due) this.deliver(change, undefined);
    if (last !== undefined) this.deliver(last, reached);
  }
}
