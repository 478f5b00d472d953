import { toDocumentKey } from '@millrace/kernel';
import type { BatchWrite } from './BatchItem.js';

/** One item of a wave: its position in the batch, and the write. */
export interface WaveItem {
  readonly position: number;
  readonly write: BatchWrite;
}

/**
 * The items of a batch that go to the engine in one call. An update needs the state after all earlier items of its
 * document, and may have to be retried; so an update never joins a wave that touches its document, and no item joins a
 * wave that updates its document.
 */
export class Wave {
  readonly items: WaveItem[] = [];
  private readonly touched = new Set<string>();
  private readonly updated = new Set<string>();

  /** @param hasUpdates false if the batch has no updates: no keys are tracked then */
  constructor(
    private readonly maxItems: number,
    private readonly hasUpdates: boolean,
  ) {}

  /** False if the item must wait for the next wave. */
  takes(write: BatchWrite): boolean {
    if (this.items.length >= this.maxItems) return false;
    if (!this.hasUpdates) return true;
    const key = toDocumentKey(write.name, write.id);
    return write.kind === 'update' ? !this.touched.has(key) : !this.updated.has(key);
  }

  add(position: number, write: BatchWrite): void {
    this.items.push({ position, write });
    if (!this.hasUpdates) return;
    const key = toDocumentKey(write.name, write.id);
    this.touched.add(key);
    if (write.kind === 'update') this.updated.add(key);
  }
}
