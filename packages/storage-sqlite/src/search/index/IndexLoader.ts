import type { JsonObject } from '@millrace/language';
import { compileMapping, parseMapping, type CompiledMapping } from '@millrace/query';
import { unpackMetadata } from '../../storedText.js';
import { CollectionIndex, DocumentIndexer, needsRebuild } from '@millrace/search';
import type { CollectionRows } from './CollectionRows.js';

/** Approximate size of a batch of rows: their JSON is briefly in memory twice. */
const BYTES_PER_BATCH = 4 * 1024 * 1024;
/** About a millisecond: searches wait while a batch is indexed. */
const ROWS_PER_BATCH = 100;
const TOMBSTONES_PER_BATCH = 1_000;

/**
 * After this many new documents, if they also are a sufficient part of all, postings are rearranged into the order in
 * which searches read them.
 */
const MIN_ADDED_TO_PACK = 20_000;
const MIN_PART_TO_PACK = 1 / 16;

/** With fewer dead slots a rebuild gains nothing. */
const MIN_DEAD_TO_COMPACT = 10_000;

/*
 * Keeps the index of one collection equal to a snapshot of the database. Call it inside a read transaction: it reads
 * the rows after the highest one indexed, then the tombstones after the last one read, so that the index is the
 * collection at the moment the transaction began. A row that was created and deleted in between is never read, and its
 * tombstone has no effect.
 */
export class IndexLoader {
  index: CollectionIndex;
  /** Documents added since postings were packed. */
  private addedCount = 0;
  private isPacking = false;

  /** @param stored an earlier state of the index; without it, the index is built from all documents */
  constructor(
    private readonly rows: CollectionRows,
    stored?: CollectionIndex,
  ) {
    this.index = stored ?? this.createIndex(undefined);
  }

  /**
   * @param isOver called after each batch of rows: true pauses the loading, which a later call continues
   * @returns whether the index is now equal to the snapshot
   */
  catchUp(isOver: () => boolean): boolean {
    this.takeMapping();
    const isComplete = this.addRows(isOver);
    if (isComplete && this.isWorthPacking) {
      this.isPacking = true;
      this.addedCount = 0;
    }
    // Also when paused, so that deleted rows need no further processing.
    this.addTombstones();
    if (isComplete && this.isMostlyDead()) {
      this.index = this.createIndex(this.index);
      return this.addRows(isOver);
    }
    return isComplete;
  }

  /** Continues packing postings; searches may run between calls. @returns true if there is nothing to do */
  pack(isOver: () => boolean): boolean {
    while (this.isPacking) {
      if (this.index.packNext()) this.isPacking = false;
      else if (isOver()) return false;
    }
    return true;
  }

  private get isWorthPacking(): boolean {
    return this.addedCount >= Math.max(MIN_ADDED_TO_PACK, this.index.slotCount * MIN_PART_TO_PACK);
  }

  private takeMapping(): void {
    const version = this.rows.readHead()?.version;
    // The number of a truncated collection is no longer in the catalog, but its open cursors still read it.
    if (version === undefined || version === this.index.mappingVersion) return;
    const before = this.index.mapping;
    const mapping = compileMapping(parseMapping(JSON.parse(this.rows.readMapping()) as JsonObject), before);
    if (needsRebuild(before, mapping)) {
      this.index = this.createIndex(this.index);
    } else {
      this.index.setMapping(mapping, version);
    }
  }

  private createIndex(previous: CollectionIndex | undefined): CollectionIndex {
    const version = this.rows.readHead()?.version;
    const mapping: CompiledMapping =
      version === undefined && previous !== undefined
        ? previous.mapping
        : compileMapping(parseMapping(JSON.parse(this.rows.readMapping()) as JsonObject));
    const index = new CollectionIndex(mapping, version ?? previous?.mappingVersion ?? 0);
    index.lastTombstone = previous?.lastTombstone ?? 0;
    return index;
  }

  private addRows(isOver: () => boolean): boolean {
    const { index } = this;
    const indexer = new DocumentIndexer(index);
    const before = index.slotCount;
    try {
      let batchSize = ROWS_PER_BATCH;
      for (let rowNumber = index.highestRowNumber; ;) {
        const batch = this.rows.readAfter(rowNumber, batchSize);
        let length = 0;
        for (const row of batch) {
          length += row.json.length;
          // This must complete: the row is not read again.
          indexer.add(row.rowNumber, {
            id: row.id,
            source: JSON.parse(row.json) as JsonObject,
            meta: unpackMetadata(row.packed),
          });
        }
        if (batch.length < batchSize) return true;
        rowNumber = index.highestRowNumber;
        const fitting = Math.ceil((BYTES_PER_BATCH * batch.length) / length);
        batchSize = Math.min(ROWS_PER_BATCH, fitting);
        if (isOver()) return false;
        index.seal();
      }
    } finally {
      index.seal();
      this.addedCount += index.slotCount - before;
    }
  }

  private addTombstones(): void {
    const { index } = this;
    for (;;) {
      const batch = this.rows.readTombstonesAfter(index.lastTombstone, TOMBSTONES_PER_BATCH);
      for (const [tombstoneNumber, rowNumber] of batch) {
        index.kill(rowNumber);
        index.lastTombstone = tombstoneNumber;
      }
      if (batch.length < TOMBSTONES_PER_BATCH) return;
    }
  }

  private isMostlyDead(): boolean {
    const { deadCount, slotCount } = this.index;
    return deadCount > MIN_DEAD_TO_COMPACT && deadCount * 2 > slotCount;
  }
}
