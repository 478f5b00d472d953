/*
 * Marks in the storage that this node has made writes while Redis was unavailable. If it is declared dead before it can
 * report them, the others find the mark, and send a gap to all subscribers. A node that is only out of touch may go on
 * writing: it marks again, and the others look again.
 */
import { parseCount, parseMapping } from '@millrace/query';
import type { CollectionName, StorageEngine } from '@millrace/kernel';

const MAPPING = parseMapping({ dynamic: 'false', properties: {} });

/** A mark counts for the writes of this time, then another one is made: the others may have removed it. */
const VALID_MS = 1_000;

export class UnrecordedWrites {
  private readonly name: CollectionName;
  private marked: Promise<void> | undefined;
  private markedAtMs = -Infinity;

  constructor(
    private readonly engine: StorageEngine,
    private readonly nodeId: string,
    internalIndex: string,
  ) {
    this.name = { index: internalIndex, collection: 'unrecorded' };
  }

  /** To be awaited before each write without Redis. */
  mark(): Promise<void> {
    const nowMs = performance.now();
    if (this.marked !== undefined && nowMs - this.markedAtMs < VALID_MS) return this.marked;
    this.markedAtMs = nowMs;
    this.marked = this.put().catch((error: unknown) => {
      this.marked = undefined;
      throw error;
    });
    return this.marked;
  }

  /** Everything has been sent. */
  async unmark(): Promise<void> {
    if (this.marked === undefined) return;
    this.marked = undefined;
    await this.take(this.nodeId);
  }

  /** Removes the mark of a dead node. @returns whether it had one */
  async take(nodeId: string): Promise<boolean> {
    if (!(await this.engine.hasCollection(this.name))) return false;
    const [outcome] = await this.engine.write(
      [{ ...this.name, kind: 'delete', id: nodeId, condition: 'present' }],
      false,
    );
    return outcome?.status === 'deleted';
  }

  /** The nodes with a mark. */
  async nodeIds(): Promise<readonly string[]> {
    if (!(await this.engine.hasCollection(this.name))) return [];
    const ids: string[] = [];
    await this.engine.refresh(this.name.index);
    for await (const batch of this.engine.scan(this.name, parseCount({}))) ids.push(...batch.map(({ id }) => id));
    return ids;
  }

  private async put(): Promise<void> {
    await this.engine.createCollection(this.name, MAPPING);
    const [outcome] = await this.engine.write(
      [{ ...this.name, kind: 'put', id: this.nodeId, source: {}, condition: 'any' }],
      false,
    );
    if (outcome?.status === 'failed') throw outcome.error;
  }
}
