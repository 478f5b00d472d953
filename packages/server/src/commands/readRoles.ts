import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

/**
 * The roles of a JSON file by their ids; the id of a role without one is empty.
 * @throws Error for a file that can't be read, and for content of another form
 */
export async function readRoles(folder: string, file: string): Promise<readonly (readonly [string, JsonObject])[]> {
  const content = await readObject(resolve(folder, file), file);
  if (Object.hasOwn(content, 'controllers') || Object.hasOwn(content, 'indexes')) return [['', content]];
  return Object.entries(content).map(([id, body]) => {
    if (isJsonObject(body)) return [id, body];
    throw new Error(`${file}: ${id}: expected an object, the body of a role`);
  });
}

async function readObject(path: string, file: string): Promise<JsonObject> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`${file} can't be read: ${code}`, { cause: error });
  });
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`${file}: expected an object with roles`);
}
