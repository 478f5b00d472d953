import { toDocumentKey } from '../names/toDocumentKey.js';
import type { CollectionName } from './StorageEngine.js';

/** Positions in order, cut before a document's second write, which builds on the result of the first one. */
export function* runsOfDistinctDocuments(
  operations: readonly (CollectionName & { readonly id: string })[],
): Iterable<readonly number[]> {
  let positions: number[] = [];
  let seen = new Set<string>();
  for (const [position, operation] of operations.entries()) {
    const key = toDocumentKey(operation, operation.id);
    if (seen.has(key)) {
      yield positions;
      positions = [];
      seen = new Set();
    }
    seen.add(key);
    positions.push(position);
  }
  if (positions.length > 0) yield positions;
}
