import type { CollectionIndex } from './CollectionIndex.js';
import { restrictIndex } from './restrictIndex.js';

/** A part of what the index itself takes. */
const MAX_BYTES_PER_SLOT = 64;
const MIN_BYTES = 1024 * 1024;

interface KeptView {
  readonly view: CollectionIndex;
  readonly memory: { bytes: number; isKept: boolean };
}

/**
 * The views of one state of an index, so that searches of users with the same right share one. The least recently used
 * are dropped, all of them when the index changes.
 */
export class KeptViews {
  /** By the query that selects the documents. */
  private readonly views = new Map<string, KeptView>();
  private readonly maxBytes: number;
  private bytes = 0;

  constructor(private readonly index: CollectionIndex) {
    this.maxBytes = Math.max(MIN_BYTES, MAX_BYTES_PER_SLOT * index.slotCount);
  }

  get byteLength(): number {
    return this.bytes;
  }

  /**
   * @param key stands for the documents of the view
   * @param find the living slots of these documents, ascending
   */
  viewOf(key: string, find: () => Int32Array): CollectionIndex {
    const kept = this.views.get(key) ?? this.build(find());
    // Moved to the end: the first entry is the least recently used.
    this.views.delete(key);
    this.views.set(key, kept);
    this.dropOldest();
    return kept.view;
  }

  private build(visible: Int32Array): KeptView {
    const memory = { bytes: 0, isKept: true };
    const view = restrictIndex(this.index, visible, (added) => {
      memory.bytes += added;
      if (memory.isKept) this.bytes += added;
    });
    return { view, memory };
  }

  /** Views grow with what is read of them, so that one may exceed the limit by itself. */
  private dropOldest(): void {
    for (const [key, { memory }] of this.views) {
      if (this.bytes <= this.maxBytes) return;
      this.views.delete(key);
      memory.isKept = false;
      this.bytes -= memory.bytes;
    }
  }
}
