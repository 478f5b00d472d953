import { MillraceError } from '../../errors/MillraceError.js';
import { storageErrors } from './errors.js';

/** Whether an engine's error says that the collection, or its index, doesn't exist. */
export function isCollectionAbsent(error: unknown): error is MillraceError {
  if (!(error instanceof MillraceError)) return false;
  const { id } = error;
  return id === storageErrors.collection_not_found.id || id === storageErrors.index_not_found.id;
}
