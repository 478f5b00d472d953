import { isError, storageErrors } from '@millrace/kernel';
import { toRegisteredError } from '../toRegisteredError.js';

/** Calls the engine, or `whenAbsent` if the collection is absent but its index exists. */
export async function orWhenAbsent<T>(ask: () => Promise<T>, whenAbsent: () => T | Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isAbsent = isError(error, storageErrors.collection_not_found);
    if (isAbsent) return whenAbsent();
    throw toRegisteredError(error);
  }
}
