/*
 * The files of stored indexes, next to the database. Apart from the search thread, so that the main thread can remove
 * them while none runs.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of a database's stored indexes; created with the first one. */
export function indexFolder(databaseFile: string): string {
  return `${databaseFile}-index`;
}

/** @param token of the record that makes the file valid */
export function indexFileName(collectionNumber: number, token: string): string {
  return `${collectionNumber}-${token}.index`;
}

/** Removes the files of a collection except one. */
export function removeIndexesOf(folder: string, collectionNumber: number, kept?: string): void {
  removeIndexFiles(folder, (name) => name.startsWith(`${collectionNumber}-`) && name !== kept);
}

/** Removes the stored indexes with such names. */
export function removeIndexFiles(folder: string, isUnwanted: (name: string) => boolean): void {
  try {
    for (const name of readdirSync(folder)) {
      if (name.endsWith('.index') && isUnwanted(name)) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // No folder, or one without permission to clean up: tried again next time.
  }
}
