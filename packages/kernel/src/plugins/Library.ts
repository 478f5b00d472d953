import { coreErrors } from '../errors/errors.js';

/**
 * A package that a module or a plugin imports at its first use: a server that doesn't need it starts sooner and takes
 * less memory. Listed in `libraries` of the module or plugin, so that `millrace doctor` imports it as well.
 */
export interface Library<T = unknown> {
  /** The package's name. */
  readonly name: string;
  /**
   * Imports it. Later calls resolve at once with the same module; a caller for whom a promise is too slow keeps it.
   * @throws core.library_unavailable (500) if it is missing or broken; `cause` tells why
   */
  load(): Promise<T>;
}

/**
 * Declares a package to import at its first use.
 * @param load `() => import('name')`, with a literal name that bundlers and compilers can see
 */
export function defineLibrary<T>(name: string, load: () => Promise<T>): Library<T> {
  return {
    name,
    load: async () => {
      try {
        return await load();
      } catch (error) {
        throw coreErrors.library_unavailable({ library: name }, { cause: error });
      }
    },
  };
}
