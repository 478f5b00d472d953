import type { MaybePromise } from '../concurrency/MaybePromise.js';
import { coreErrors } from '../errors/errors.js';
import { MillraceError } from '../errors/MillraceError.js';
import { isThenable } from '../concurrency/isThenable.js';
import { withDeadline } from './withDeadline.js';

/** The plugin that owns the pipe, and its time limit. */
export interface PipeLimits {
  readonly plugin: string;
  readonly limitMs: number;
}

/**
 * Runs a pipe of a plugin.
 * @throws its registered error; core.plugin_failed (500) for anything else that it throws, core.plugin_timeout (504)
 */
export async function guardPipe<T>({ plugin, limitMs }: PipeLimits, run: () => MaybePromise<T>): Promise<T> {
  try {
    const outcome = run();
    if (!isThenable(outcome)) return outcome;
    return await withDeadline(outcome, limitMs, () => coreErrors.plugin_timeout({ plugin, limitMs }));
  } catch (error) {
    throw error instanceof MillraceError ? error : coreErrors.plugin_failed({ plugin }, { cause: error });
  }
}

/** The error for a pipe that returned anything but `expected`. */
export function invalidPipeResult(plugin: string, expected: string): MillraceError {
  const cause = new Error(`a pipe of "${plugin}" returned something else than ${expected}`);
  return coreErrors.plugin_failed({ plugin }, { cause });
}
