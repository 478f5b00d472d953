import { coreErrors, type CopyableEngine } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import type { MoveCollections } from './MoveCollections.js';

const MARKER = 'source';
const MAPPING = parseMapping({ dynamic: false });

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
  const indexes = await target.listIndexes();
  if (indexes.length > 0) {
    const known = await target.read(marker, MARKER);
    if (known?.source['epoch'] !== epoch) {
      throw coreErrors.move_refused({
        reason: `Elasticsearch has indexes of another Millrace under the prefix "${prefix}": remove them, or set another storage.elasticsearch.prefix`,
      });
    }
    // The marker goes last: an interrupted removal is continued.
    for (const index of indexes) if (index !== internalIndex) await target.deleteIndex(index);
    await target.deleteIndex(internalIndex);
  }
  await target.createCollection(marker, MAPPING);
  const operation = { ...marker, kind: 'put', id: MARKER, condition: 'any' } as const;
  await target.write([{ ...operation, source: { epoch } }], false);
}
