import { storageErrors, type CollectionName, type Logger } from '@millrace/kernel';
import type { Catalog } from '../catalog/Catalog.js';
import { reasonOf } from '../sqliteFailure.js';
import type { WriterThread } from '../writer/WriterThread.js';
import type { TableDamage } from '../schema/checkTables.js';
import { runIntegrityCheck, type IntegrityRun } from './runIntegrityCheck.js';

/** Interval for checking damaged collections again: an operator may have removed the obstacle to their repair. */
const RECHECK_MS = 60_000;

/**
 * Checks the database at the start and then at intervals, in a separate thread, and rebuilds damaged indexes of
 * document ids from the documents if those are intact (see `checkTables`). While the ids of a collection are damaged,
 * its writes are refused, and so are reads that find no document: both could be wrong.
 */
export class IntegrityWatch {
  private damages: readonly TableDamage[] = [];
  private run: IntegrityRun | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  /** Collections whose index is still damaged after a rebuild. */
  private readonly tried = new Set<number>();

  constructor(
    private readonly databaseFile: string,
    private readonly catalog: Catalog,
    private readonly writer: WriterThread,
    private readonly log: Logger,
    /** Time between two checks, in milliseconds. */
    private readonly intervalMs: number,
  ) {}

  /**
   * @param isChecked true if the database was checked while it was opened: the first check is due one interval later
   */
  start(isChecked: boolean): void {
    this.arm(isChecked ? this.intervalMs : 0);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.run?.abandon();
  }

  /** The known damage, for health; undefined if there is none. */
  get problem(): string | undefined {
    if (this.damages.length === 0) return undefined;
    return `the index of document ids of ${this.damages.length} collection(s) is damaged: their writes are refused`;
  }

  /** True if the id index of this collection is known to be damaged. */
  isDamaged(collectionNumber: number): boolean {
    return this.damages.some((damage) => damage.collectionNumber === collectionNumber);
  }

  /** @throws storage.damaged_ids if the ids of the collection are damaged */
  assertIntact(collectionNumber: number, { index, collection }: CollectionName): void {
    if (this.damages.length > 0 && this.isDamaged(collectionNumber)) {
      throw storageErrors.damaged_ids({ index, collection });
    }
  }

  private arm(delayMs: number): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      void this.checkAndRepair();
    }, delayMs).unref();
  }

  /** Never rejects. */
  private async checkAndRepair(): Promise<void> {
    const { log, intervalMs } = this;
    try {
      const found = await this.check();
      for (const damage of found) this.report(damage);
      this.damages = found;
      const repaired = await this.mend(found);
      if (repaired.length > 0) await this.verify(repaired);
    } catch (error) {
      if (!this.isStopped) log.error({ err: error }, 'the database could not be checked');
    }
    this.arm(this.damages.length > 0 ? Math.min(RECHECK_MS, intervalMs) : intervalMs);
  }

  /** @param ks numbers of the collections to check; default: all */
  private async check(collectionNumbers = this.allNumbers()): Promise<readonly TableDamage[]> {
    if (this.isStopped) return [];
    this.run = runIntegrityCheck(this.databaseFile, collectionNumbers);
    try {
      return await this.run.found;
    } finally {
      this.run = undefined;
    }
  }

  /** @returns the collections whose index was rebuilt */
  private async mend(found: readonly TableDamage[]): Promise<readonly number[]> {
    const { writer, log } = this;
    const repaired: number[] = [];
    for (const { collectionNumber, isMendable } of found) {
      // Tried only once: a failed rebuild also fails the writes of its transaction.
      if (!isMendable || this.tried.has(collectionNumber)) continue;
      this.tried.add(collectionNumber);
      try {
        const answer = await writer.submit({ type: 'reindex', collectionNumber });
        if (answer.type === 'done') repaired.push(collectionNumber);
      } catch (error) {
        const reason = reasonOf(error);
        log.error({ ...this.nameOf(collectionNumber), reason }, 'a damaged index of document ids could not be rebuilt');
      }
    }
    return repaired;
  }

  private async verify(repaired: readonly number[]): Promise<void> {
    const still = await this.check(repaired);
    this.damages = [...this.damages.filter(({ collectionNumber }) => !repaired.includes(collectionNumber)), ...still];
    for (const collectionNumber of repaired) {
      if (still.some((damage) => damage.collectionNumber === collectionNumber)) continue;
      this.tried.delete(collectionNumber);
      this.log.warn(
        this.nameOf(collectionNumber),
        'a damaged index of document ids was rebuilt from the documents, which are intact',
      );
    }
  }

  /** Logs one line for each table with new damage. */
  private report({ collectionNumber, problem, damagedRows, duplicates, isMendable }: TableDamage): void {
    if (this.damages.some((known) => known.collectionNumber === collectionNumber)) return;
    const remedy = isMendable
      ? 'its index is being rebuilt'
      : duplicates.length > 0
        ? 'delete each of the duplicates by its id (the newer document goes, the older one appears), or restore a backup'
        : 'restore a backup';
    this.log.error(
      { ...this.nameOf(collectionNumber), problem, damagedRows, duplicates, remedy },
      'the database is damaged',
    );
  }

  private allNumbers(): readonly number[] {
    return [...this.catalog.allCollections()].map(({ number: collectionNumber }) => collectionNumber);
  }

  private nameOf(collectionNumber: number): Partial<CollectionName> {
    for (const collection of this.catalog.allCollections()) {
      if (collection.number === collectionNumber) return collection.name;
    }
    return {};
  }
}
