import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';

/** An operation of JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/** The operations from one value to another. Lists of different lengths are replaced as a whole. */
export function diffJson(before: JsonValue, after: JsonValue, path = ''): PatchOperation[] {
  if (isJsonObject(before) && isJsonObject(after)) return diffObjects(before, after, path);
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((value: JsonValue, n) =>
      diffJson(value, (after as readonly JsonValue[])[n] as JsonValue, `${path}/${n}`),
    );
  }
  return before === after ? [] : [{ op: 'replace', path, value: after }];
}

function diffObjects(before: JsonObject, after: JsonObject, path: string): PatchOperation[] {
  const operations: PatchOperation[] = [];
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name)) operations.push({ op: 'remove', path: pointer(path, name) });
  }
  for (const [name, value] of Object.entries(after)) {
    const at = pointer(path, name);
    if (!Object.hasOwn(before, name)) operations.push({ op: 'add', path: at, value });
    else operations.push(...diffJson(before[name] as JsonValue, value, at));
  }
  return operations;
}

function pointer(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
