import {
  compileMapping,
  DocumentError,
  parseDocument,
  parseMapping,
  type CompiledMapping,
  type JsonObject,
} from '@millrace/query';
import { unpackMetadata } from '../../storedText.js';
import { CollectionIndex, DocumentIndexer, needsRebuild } from '@millrace/search';
import type { CollectionRows } from './CollectionRows.js';

/** Rows are read in batches of about this size: their JSON is in memory twice for a moment. */
const BYTES_PER_BATCH = 4 * 1024 * 1024;
const FIRST_BATCH = 100;
const ROWS_PER_BATCH = 1_000;

/** After so many new documents, and such a part of all, postings are put in the order they are read in. */
const MIN_ADDED_TO_PACK = 20_000;
const MIN_PART_TO_PACK = 1 / 16;

/** Below so many dead slots nothing is gained by building anew. */
const MIN_DEAD_TO_COMPACT = 10_000;

/*
 * Keeps the index of one collection equal to a snapshot of the database. To be called inside a read transaction: it
 * reads the rows after the highest one indexed, then the tombstones after the last one read, so that the index is the
 * collection at the moment the transaction began. A row that was born and died in between is never seen, and its
 * tombstone means nothing.
 */
export class IndexLoader {
  index: CollectionIndex;
  /** Documents added since postings were packed. */
  private addedCount = 0;

  /** @param stored where the index was at an earlier time; without it, it is built from all documents */
  constructor(
    private readonly rows: CollectionRows,
    stored?: CollectionIndex,
  ) {
    this.index = stored ?? this.createIndex(undefined);
  }

  /**
   * @param isOver asked after each batch of rows: true stops the loading half-way, to be gone on with later
   * @returns whether the index is now equal to the snapshot
   */
  catchUp(isOver: () => boolean): boolean {
    this.takeMapping();
    const isComplete = this.addRows(isOver);
    if (isComplete) this.packWhenWorthIt();
    // Even when stopped: what is dead needs not be looked at again.
    this.addTombstones();
    if (isComplete && this.isMostlyDead()) {
      this.index = this.createIndex(this.index);
      return this.addRows(isOver);
    }
    return isComplete;
  }

  private packWhenWorthIt(): void {
    const { index } = this;
    if (this.addedCount < Math.max(MIN_ADDED_TO_PACK, index.slotCount * MIN_PART_TO_PACK)) return;
    index.pack();
    this.addedCount = 0;
  }

  private takeMapping(): void {
    const version = this.rows.readHead()?.version;
    // A truncated collection's former number is in the catalog no more, but its cursors read on.
    if (version === undefined || version === this.index.mappingVersion) return;
    const before = this.index.mapping;
    const mapping = compileMapping(
      parseMapping(JSON.parse(this.rows.readMapping()) as JsonObject),
      before,
    );
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
      let batchSize = FIRST_BATCH;
      for (let n = index.highestN; ;) {
        const batch = this.rows.readAfter(n, batchSize);
        let length = 0;
        for (const row of batch) {
          length += row.json.length;
          // Nothing of it may stay undone: the row is not read again.
          indexer.begin(index.addSlot(row.n, row.id));
          addDocument(index.mapping, row.json, indexer);
          if (row.packed !== '') indexer.metadata(unpackMetadata(row.packed));
        }
        if (batch.length < batchSize) return true;
        n = index.highestN;
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
      const batch = this.rows.readTombstonesAfter(index.lastTombstone, ROWS_PER_BATCH);
      for (const [s, n] of batch) {
        index.kill(n);
        index.lastTombstone = s;
      }
      if (batch.length < ROWS_PER_BATCH) return;
    }
  }

  private isMostlyDead(): boolean {
    const { deadCount, slotCount } = this.index;
    return deadCount > MIN_DEAD_TO_COMPACT && deadCount * 2 > slotCount;
  }
}

function addDocument(mapping: CompiledMapping, json: string, indexer: DocumentIndexer): void {
  try {
    parseDocument(mapping, JSON.parse(json) as JsonObject, indexer);
  } catch (error) {
    // Written under an earlier mapping, to which it fitted: what does not fit now is not searched.
    if (!(error instanceof DocumentError)) throw error;
  }
}
