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

  /** @param target the name of an engine @throws Error naming a document that is different */
  accept({ documents, checksum, collections, different }: Comparison, target: string): void {
    const [first] = different;
    if (first !== undefined) {
      const { index, collection, id } = first;
      throw new Error(
        `${different.length} documents are different in ${target}, such as ${JSON.stringify(id)} of ${index}/${collection}`,
      );
    }
    this.report({ documents, checksum, collections });
  }

  /** Reports the number of documents later. @param isOwn collections that don't count */
  async count(engine: StorageEngine, isOwn: (name: CollectionName) => boolean): Promise<void> {
    let totalDocuments = 0;
    try {
      for (const index of await engine.listIndexes()) {
        for (const collection of await engine.listCollections(index)) {
          const name = { index, collection };
          if (!isOwn(name)) totalDocuments += await engine.count(name, EVERY_DOCUMENT);
        }
      }
      this.report({ totalDocuments });
    } catch {
      // Shown only.
    }
  }
}
