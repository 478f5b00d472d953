import type { ChangeLog, Clock, Cursor } from '@millrace/kernel';
import { positionOf } from '../rights/markCursor.js';
import type { Subscription } from '../rooms/Membership.js';
import type { NameRecord } from './NameRecord.js';
import { nameKey } from './NameRecord.js';
import type { NameStore, StoredName } from './NameStore.js';

/** A named subscription that a connection of this node holds. */
export class HeldName {
  readonly key: string;
  private record: NameRecord;
  private lastVersion: number;
  private isDirty = false;
  private pinnedAtMs = 0;
  private flushing: Promise<boolean> = Promise.resolve(true);

  constructor(
    readonly subscription: Subscription,
    { record, version }: StoredName,
    private readonly names: NameStore,
    private readonly log: ChangeLog,
    private readonly clock: Clock,
  ) {
    this.record = record;
    this.lastVersion = version;
    this.key = nameKey(record, record.name);
  }

  /** The last acknowledged position. */
  get cursor(): Cursor | null {
    return this.record.cursor;
  }

  /** Of the stored document. */
  get version(): number {
    return this.lastVersion;
  }

  /** Moves forward. @param cursor of the current epoch @returns the acknowledged position */
  acknowledge(cursor: Cursor): Cursor {
    const { cursor: former } = this.record;
    const isLater = former === null || former < cursor || !this.isOfThisLog(former);
    if (!isLater) return former;
    this.record = { ...this.record, cursor };
    this.isDirty = true;
    return cursor;
  }

  /**
   * Stores the acknowledged position, and renews the pin.
   * @param pinAfterMs renews the pin also if nothing was acknowledged since, and it is older than this
   * @returns false: another node has the name now, or it was removed
   */
  flush(pinAfterMs = Infinity): Promise<boolean> {
    const isDue = this.isDirty || this.clock.nowMs() - this.pinnedAtMs >= pinAfterMs;
    if (isDue)
      this.flushing = this.flushing.then(
        () => this.store(),
        () => this.store(),
      );
    return this.flushing;
  }

  private async store(): Promise<boolean> {
    const { names, log, clock, record } = this;
    if (this.isDirty) {
      this.isDirty = false;
      try {
        const version = await names.save({ ...record, usedAt: clock.nowMs() }, this.lastVersion);
        if (version === undefined) return false;
        this.lastVersion = version;
      } catch (error) {
        this.isDirty = true;
        throw error;
      }
    }
    const { index, collection, cursor } = record;
    // The pin may be behind the stored position, never ahead of it.
    if (cursor !== null) await log.pin({ index, collection }, this.key, positionOf(cursor));
    this.pinnedAtMs = clock.nowMs();
    return true;
  }

  private isOfThisLog(cursor: Cursor): boolean {
    return cursor.startsWith(`${this.log.epoch}.`);
  }
}
