import { documentErrors } from '@millrace/kernel';
import { isError } from './InternalCollection.js';

const MAX_TRIES = 5;

/**
 * Reads and writes again where another node was faster: the task must read anew each time.
 * @throws what the task throws, and document.version_conflict (409) after five tries
 */
export async function retryOnConflict<T>(task: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await task();
    } catch (error) {
      if (!isError(error, documentErrors.version_conflict) || tries === MAX_TRIES) throw error;
    }
  }
}
