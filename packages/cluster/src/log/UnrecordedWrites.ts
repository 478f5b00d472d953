/*
 * Marks in the storage that this node has made writes while Redis was unavailable. If it is declared dead before it can
 * report them, the others find the mark, and send a gap to all subscribers. A node that is only out of touch may go on
 * writing: it marks again, and the others look again.
 *
 * The log of one server marks that it is the current one, by its epoch: another server removes that mark, and sends the gap.
 */
import { RecordStore, type RecordKind, type StorageEngine } from '@millrace/kernel';
import { EVERY_DOCUMENT, parseMapping } from '@millrace/query';

/** A mark has no content. Its id is that of the node. */
const KIND: RecordKind<object> = {
  collection: 'unrecorded',
  mapping: parseMapping({ dynamic: 'false', properties: {} }),
  parse: () => ({}),
  toSource: () => ({}),
};

/** A mark counts for the writes of this time, then another one is made: the others may have removed it. */
const VALID_MS = 1_000;

export class UnrecordedWrites {
  private readonly marks: RecordStore<object>;
  private marked: Promise<void> | undefined;
  private markedAtMs = -Infinity;

  constructor(
    private readonly engine: StorageEngine,
    private readonly nodeId: string,
    internalIndex: string,
  ) {
    this.marks = new RecordStore({ engine, index: internalIndex }, KIND);
  }

  /** To be awaited before each write without Redis. */
  mark(): Promise<void> {
    const nowMs = performance.now();
    if (this.marked !== undefined && nowMs - this.markedAtMs < VALID_MS) return this.marked;
    this.markedAtMs = nowMs;
    this.marked = this.put(this.nodeId).catch((error: unknown) => {
      this.marked = undefined;
      throw error;
    });
    return this.marked;
  }

  async put(id: string): Promise<void> {
    await this.marks.put(id, {}, 'any', false);
  }

  /** Everything has been sent. */
  async unmark(): Promise<void> {
    if (this.marked === undefined) return;
    this.marked = undefined;
    await this.take(this.nodeId);
  }

  /** Removes the mark of a dead node. @returns whether it had one */
  take(nodeId: string): Promise<boolean> {
    return this.marks.delete(nodeId, 'present', false);
  }

  /** The nodes with a mark. */
  async nodeIds(): Promise<readonly string[]> {
    const { engine, marks } = this;
    if (!(await engine.hasCollection(marks.name))) return [];
    const all: string[] = [];
    await engine.refresh(marks.name.index);
    for await (const ids of marks.scanIds(EVERY_DOCUMENT)) all.push(...ids);
    return all;
  }
}
