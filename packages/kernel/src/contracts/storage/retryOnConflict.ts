import { isError } from '../../errors/isError.js';
import { documentErrors } from './errors.js';

/**
 * Runs a task that reads and then writes on the condition that nothing has changed in between, and repeats it if
 * another writer was faster. The task must read again each time.
 * @param isConflict which failures count as a conflict; default: document.version_conflict
 * @throws what the task throws, after `maxTries` also a conflict
 */
export async function retryOnConflict<T>(
  task: () => Promise<T>,
  maxTries = 5,
  isConflict: (error: unknown) => boolean = isVersionConflict,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await task();
    } catch (error) {
      if (tries >= maxTries || !isConflict(error)) throw error;
    }
  }
}

function isVersionConflict(error: unknown): boolean {
  return isError(error, documentErrors.version_conflict);
}
