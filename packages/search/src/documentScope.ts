import type { CompiledMapping, FieldReader } from '@millrace/query';
import { Deadline } from './Deadline.js';
import { CollectionIndex } from './index/CollectionIndex.js';
import { DocumentIndexer, type IndexedDocument } from './index/DocumentIndexer.js';
import { ResultBytes } from './results/ResultBytes.js';
import type { SearchScope } from './SearchScope.js';

const ROW = 1;
const NO_SLOTS = new Int32Array(0);
const NEVER = new Deadline(Infinity);

/** One document as a collection, to be tested by any number of queries (see `matches`). */
export interface DocumentScope extends SearchScope {
  readonly isOneDocument: true;
}

/**
 * Indexes one document as the collection would, in memory.
 * @param mapping with the fields that the document adds dynamically (`deriveDynamicFields`): the mapping after the
 * write. Fields that it lacks are not searched.
 * @param fields of the mapping: only these are indexed; absent: all
 */
export function documentScope(
  document: IndexedDocument,
  mapping: CompiledMapping,
  fields?: FieldReader,
): DocumentScope {
  const index = new CollectionIndex(mapping, 0);
  new DocumentIndexer(index, fields).add(ROW, document);
  index.seal();
  const { id } = document;
  return {
    isOneDocument: true,
    index,
    // Bound queries contain their times already; only the values of `random_score` use this one.
    nowMs: 0,
    deadline: NEVER,
    bytes: new ResultBytes(0),
    findIds: (ids) => (ids.includes(id) ? index.living() : NO_SLOTS),
    loadIds: () => [id],
  };
}
