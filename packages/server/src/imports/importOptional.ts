import { coreErrors } from '@millrace/kernel';

/**
 * Imports a package that may not be installed.
 * @param load `() => import(name)`, with a literal name that bundlers and compilers can see
 * @returns undefined if the package is not installed; rejects if it is installed but broken
 */
export async function importOptional<T>(name: string, load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    if (isMissing(error, name)) return undefined;
    throw error;
  }
}

/**
 * Imports a package required by the configuration.
 * @param key the configuration as the user wrote it, such as `storage.engine "elasticsearch"`
 * @throws core.invalid_config with the command that installs it
 */
export async function importConfigured<T>(key: string, name: string, load: () => Promise<T>): Promise<T> {
  const module = await importOptional(name, load);
  if (module !== undefined) return module;
  throw coreErrors.invalid_config({
    problem: `Configuration ${key} needs the package ${name}, which is not installed: npm install ${name}`,
  });
}

/** A missing dependency of the package itself is an error of the installation. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`package '${name}'`);
}
