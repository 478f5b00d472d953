import { coreErrors, RecordStore, type CopyableEngine, type StoredDocument } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import type { MoveCollections } from './MoveCollections.js';

const MARKER = 'source';

/** The epoch of the change log whose data it has. */
const KIND = {
  mapping: parseMapping({ dynamic: false }),
  parse: ({ source: { epoch } }: StoredDocument) => (typeof epoch === 'string' ? epoch : null),
  toSource: (epoch: string) => ({ epoch }),
};

/**
 * Marks a target as the copy of a change log's data. Empties it if it has an earlier copy.
 * @param epoch of the change log
 * @param prefix of the indexes in Elasticsearch
 * @throws core.move_refused if it has other data
 */
export async function takeTarget(
  target: CopyableEngine,
  { marker, internalIndex }: MoveCollections,
  epoch: string,
  prefix: string,
): Promise<void> {
  const marks = new RecordStore<string>({ engine: target, index: marker.index }, { ...KIND, ...marker });
  const indexes = await target.listIndexes();
  if (indexes.length > 0) {
    if ((await marks.find(MARKER)) !== epoch) {
      throw coreErrors.move_refused({
        reason: `Elasticsearch has indexes of another Millrace under the prefix "${prefix}": remove them, or set another storage.elasticsearch.prefix`,
      });
    }
    // The marker goes last: an interrupted removal is continued.
    for (const index of indexes) if (index !== internalIndex) await target.deleteIndex(index);
    await target.deleteIndex(internalIndex);
  }
  await marks.put(MARKER, epoch, 'any', false);
}
