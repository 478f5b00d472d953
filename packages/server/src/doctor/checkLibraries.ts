import type { Library } from '@millrace/kernel';
import { firstLine } from '../imports/importProblems.js';
import { fault, ok, type Finding } from './Finding.js';

/** Imports what the server imports at its first use: a broken installation would be noticed by a client first. */
export async function checkLibraries(libraries: readonly Library[]): Promise<readonly Finding[]> {
  const found = await Promise.all(libraries.map(checkLibrary));
  const faults = found.filter((each) => each !== undefined);
  const names = libraries.map(({ name }) => name).join(', ');
  return faults.length > 0 ? faults : [ok('library', `these packages can be loaded: ${names}`)];
}

async function checkLibrary({ name, load }: Library): Promise<Finding | undefined> {
  try {
    await load();
    return undefined;
  } catch (error) {
    const { cause = error } = error as { readonly cause?: unknown };
    return fault(
      'library',
      `The package ${name} can't be loaded: ${firstLine(cause)}`,
      'Install the server again: npm install',
    );
  }
}
