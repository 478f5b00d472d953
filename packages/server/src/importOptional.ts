import { coreErrors } from '@millrace/kernel';

/**
 * Imports a package that an installation may lack.
 * @param load `() => import(name)`, spelt out so that bundlers and compilers see the name
 * @returns undefined where the package is not installed; a package that is there and broken rejects
 */
export async function importOptional<T>(
  name: string,
  load: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    if (isMissing(error, name)) return undefined;
    throw error;
  }
}

/**
 * Imports a package that the configuration asks for.
 * @param key the configuration as the user wrote it, such as `storage.engine "elasticsearch"`
 * @throws core.invalid_config with the command that installs it
 */
export async function importConfigured<T>(
  key: string,
  name: string,
  load: () => Promise<T>,
): Promise<T> {
  const module = await importOptional(name, load);
  if (module !== undefined) return module;
  throw coreErrors.invalid_config({
    problem: `Configuration ${key} needs the package ${name}, which is not installed: npm install ${name}`,
  });
}

/** Something that the package itself imports may be missing too: that is an error of the installation. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`package '${name}'`);
}
