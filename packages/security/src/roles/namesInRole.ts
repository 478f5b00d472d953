import { isJsonObject } from '@millrace/kernel';
import type { Role } from '../rights/Role.js';

/** No index has a longer name, and engines can't store longer terms. */
const MAX_NAME_LENGTH = 512;

/** The names by which a role can be found: its indexes (none for a flat role) and controllers, as written. */
export function namesInRole({ body, indexes }: Role): {
  readonly indexes: readonly string[];
  readonly controllers: readonly string[];
} {
  const isTree = Object.hasOwn(body, 'indexes') && isJsonObject(body['indexes']);
  const controllers = new Set<string>();
  for (const { collections } of indexes.values()) {
    for (const collection of collections.values()) {
      for (const controller of collection.controllers.keys()) controllers.add(controller);
    }
  }
  const searchable = (names: Iterable<string>) => [...names].filter((name) => name.length <= MAX_NAME_LENGTH);
  return {
    indexes: isTree ? searchable(indexes.keys()) : [],
    controllers: searchable(controllers),
  };
}
