import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { ActionError } from '../targets/ActionError.js';
import type { ActionTarget } from '../targets/ActionTarget.js';
import { writeClientTypes, type DescribedCollection } from './writeClientTypes.js';

/**
 * Reads mappings, specifications and actions of a running server.
 * @param isSingle fields of mappings hold one value: `T` in place of `T | T[]`
 * @returns the types that `millrace types` prints
 */
export async function readClientTypes(server: ActionTarget, isSingle: boolean): Promise<string> {
  const collections: DescribedCollection[] = [];
  const { indexes } = (await server.execute('index', 'list')) as { indexes: string[] };
  for (const index of indexes) {
    const listed = await server.execute('collection', 'list', { index, type: 'stored' });
    const { collections: found } = listed as unknown as { collections: { name: string }[] };
    for (const { name } of found) collections.push(await describe(server, index, name));
  }
  const description = await server.execute('server', 'asyncapi');
  return writeClientTypes(collections, isJsonObject(description) ? description : {}, isSingle);
}

async function describe(server: ActionTarget, index: string, collection: string): Promise<DescribedCollection> {
  const mapping = await server.execute('collection', 'getMapping', { index, collection });
  const specification = await readSpecification(server, { index, collection });
  const at = (value: JsonValue, ...path: readonly string[]) =>
    path.reduce<JsonValue>((inner, key) => (isJsonObject(inner) ? (inner[key] ?? null) : null), value);
  const properties = at(mapping, index, 'mappings', collection, 'properties');
  const specified = at(specification, 'validation', 'fields');
  return {
    index,
    name: collection,
    properties: isJsonObject(properties) ? properties : {},
    specified: isJsonObject(specified) ? specified : null,
  };
}

/** Null if the collection has none. */
async function readSpecification(server: ActionTarget, target: JsonObject): Promise<JsonValue> {
  try {
    return await server.execute('collection', 'getSpecifications', target);
  } catch (error) {
    if (error instanceof ActionError && error.id === 'validation.no_specification') return null;
    throw error;
  }
}
