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

/** Changes of a collection that are not passed on, because too many waited. */
export interface Loss extends CollectionName {
  readonly isLoss: true;
}

type Positioned = UnnumberedChange | Wipe;
type Passed = Positioned | Loss;

interface HeldChange {
  readonly change: Positioned;
  /** Of its JSON. Undefined for those of a batch that has just ended, most of which are passed on at once. */
  characters: number | undefined;
}

/** The changes of a collection that wait. */
interface Held {
  readonly name: CollectionName;
  readonly changes: HeldChange[];
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
 * of all collections have been passed on. If the changes that wait take too much memory, those of the collection that has
 * most are dropped, and their loss is passed on.
 */
export class ChangeOrder {
  private readonly batches = new Set<Batch>();
  private readonly held = new Map<string, Held>();
  private heldCharacters = 0;
  /** Whether the changes of a batch that has ended are being added. */
  private isReporting = false;
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
      const result = await write();
      this.isReporting = true;
      report(result);
    } finally {
      this.isReporting = false;
      this.batches.delete(batch);
      this.flush();
    }
  }

  add(change: Positioned): void {
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
  private isHeld(change: Positioned): boolean {
    if (this.batches.size === 0) return false;
    const key = toCollectionKey(change);
    for (const { after, collections } of this.batches) {
      if (collections.has(key) && (change.cursor ?? '') > after) return true;
    }
    return false;
  }

  private hold(change: Positioned): void {
    const key = toCollectionKey(change);
    let held = this.held.get(key);
    if (held === undefined) {
      const { index, collection } = change;
      held = { name: { index, collection }, changes: [], characters: 0 };
      this.held.set(key, held);
    }
    const added: HeldChange = { change, characters: undefined };
    held.changes.push(added);
    if (this.isReporting) return;
    this.measure(held, added);
    this.limit();
  }

  private measure(held: Held, added: HeldChange): void {
    if (added.characters !== undefined) return;
    added.characters = JSON.stringify(added.change).length;
    held.characters += added.characters;
    this.heldCharacters += added.characters;
  }

  /** Drops what is too much. */
  private limit(): void {
    while (this.heldCharacters > this.maxHeldCharacters) {
      const held = [...this.held.values()];
      const largest = held.reduce((a, b) => (b.characters > a.characters ? b : a));
      this.remove(largest);
      this.deliver({ isLoss: true, ...largest.name }, undefined);
    }
  }

  private remove(held: Held): void {
    this.held.delete(toCollectionKey(held.name));
    this.heldCharacters -= held.characters;
  }

  private flush(): void {
    const due: Positioned[] = [];
    for (const [key, held] of [...this.held]) {
      const left: Held = { name: held.name, changes: [], characters: 0 };
      for (const each of held.changes) {
        if (this.isHeld(each.change)) left.changes.push(each);
        else due.push(each.change);
      }
      this.remove(held);
      if (left.changes.length === 0) continue;
      for (const { characters = 0 } of left.changes) left.characters += characters;
      this.heldCharacters += left.characters;
      for (const each of left.changes) this.measure(left, each);
      this.held.set(key, left);
    }
    due.sort((a, b) => ((a.cursor ?? '') < (b.cursor ?? '') ? -1 : 1));
    const { reached } = this;
    const last = due.pop();
    // Until the last one, not all changes up to there are passed on.
    for (const change of due) this.deliver(change, undefined);
    if (last !== undefined) this.deliver(last, reached);
    this.limit();
  }
}
