import type { CollectionName, StorageEngine } from '@millrace/kernel';
import { EVERY_DOCUMENT } from '@millrace/query';
import type { Comparison } from './compareEngines.js';
import type { MoveState } from './MoveState.js';

/** The last move, without the engine in use. */
export class MoveProgress {
  private state: Omit<MoveState, 'engine'> = { state: 'none' };

  get current(): Omit<MoveState, 'engine'> {
    return this.state;
  }

  /** Another move begins. */
  begin(state: Omit<MoveState, 'engine'>): void {
    this.state = state;
  }

  report(change: Partial<Omit<MoveState, 'engine'>>): void {
    this.state = { ...this.state, ...change };
  }

  /** @throws Error naming a document that is different */
  accept({ documents, checksum, collections, different }: Comparison): void {
    const [first] = different;
    if (first !== undefined) {
      const { index, collection, id } = first;
      throw new Error(
        `${different.length} documents are different in Elasticsearch, such as ${JSON.stringify(id)} of ${index}/${collection}`,
      );
    }
    this.report({ documents, checksum, collections });
  }

  /** Reports the number of documents later. */
  async count(engine: StorageEngine, names: readonly CollectionName[]): Promise<void> {
    let totalDocuments = 0;
    try {
      for (const name of names) totalDocuments += await engine.count(name, EVERY_DOCUMENT);
      this.report({ totalDocuments });
    } catch {
      // Shown only.
    }
  }
}
