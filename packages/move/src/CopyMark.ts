import {
  coreErrors,
  RecordStore,
  type CollectionName,
  type CopyableEngine,
  type StorageEngine,
  type StoredDocument,
} from '@millrace/kernel';
import { parseMapping } from '@millrace/query';

const MARKER = 'source';

/** The epoch of the change log whose data it has. */
const KIND = {
  collection: 'moveMarker',
  mapping: parseMapping({ dynamic: false }),
  parse: ({ source: { epoch } }: StoredDocument) => (typeof epoch === 'string' ? epoch : null),
  toSource: (epoch: string) => ({ epoch }),
};

/**
 * Marks Elasticsearch as the copy of an embedded engine's data, which the next move may replace. Without the mark its
 * data is in use, or belongs to another server.
 */
export class CopyMark {
  constructor(private readonly internalIndex: string) {}

  /** The collection of the mark, which is not copied. */
  isOwn({ index, collection }: CollectionName): boolean {
    return index === this.internalIndex && collection === KIND.collection;
  }

  /** @param epoch of the change log of the embedded engine */
  async put(target: CopyableEngine, epoch: string): Promise<void> {
    await this.marks(target).put(MARKER, epoch, 'any', false);
  }

  /** The data is no longer a copy: no move may replace it. */
  async remove(target: StorageEngine): Promise<void> {
    const name = { index: this.internalIndex, collection: KIND.collection };
    if (await target.hasCollection(name)) await target.deleteCollection(name);
  }

  /**
   * Marks a target. Empties it if it has an earlier copy.
   * @param prefix of the indexes in Elasticsearch
   * @throws core.move_refused if it has other data
   */
  async take(target: CopyableEngine, epoch: string, prefix: string): Promise<void> {
    const { internalIndex } = this;
    const indexes = await target.listIndexes();
    if (indexes.length > 0) {
      if ((await this.marks(target).find(MARKER)) !== epoch) {
        throw coreErrors.move_refused({
          reason: `Elasticsearch has indexes of another Millrace under the prefix "${prefix}": remove them, or set another storage.elasticsearch.prefix`,
        });
      }
      // The mark goes last: an interrupted removal is continued.
      for (const index of indexes) if (index !== internalIndex) await target.deleteIndex(index);
      await target.deleteIndex(internalIndex);
    }
    await this.put(target, epoch);
  }

  private marks(target: CopyableEngine): RecordStore<string> {
    return new RecordStore<string>({ engine: target, index: this.internalIndex }, KIND);
  }
}
