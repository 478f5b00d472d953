import {
  isCollectionAbsent,
  isThenable,
  type CollectionName,
  type MaybePromise,
  type StorageEngine,
} from '@millrace/kernel';
import { parseMapping, type Mapping } from '@millrace/query';

/** Of a collection that isn't stored: subscriptions may come before the first document. */
const NO_FIELDS = parseMapping({ properties: {} });

/** The mapping that a collection has now, without any cache; without fields if the collection is absent. */
export function readMapping(engine: StorageEngine, name: CollectionName): MaybePromise<Mapping> {
  engine.forget?.(name.index);
  try {
    const read = engine.getMapping(name);
    return isThenable(read) ? read.catch(orNoFields) : read;
  } catch (error) {
    return orNoFields(error);
  }
}

function orNoFields(error: unknown): Mapping {
  if (isCollectionAbsent(error)) return NO_FIELDS;
  throw error;
}
