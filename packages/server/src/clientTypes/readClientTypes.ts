import { isJsonObject, type JsonObject, type JsonValue } from '@millrace/kernel';
import { ActionError } from '../targets/ActionError.js';
import type { ActionTarget } from '../targets/ActionTarget.js';
import { listCollections, listIndexes } from '../transfer/exportCollections.js';
import { objectAt, valueAt } from '../valueAt.js';
import { writeClientTypes, type DescribedCollection } from './writeClientTypes.js';

/**
 * Reads mappings, specifications and actions of a running server.
 * @param isSingle fields of mappings hold one value: `T` in place of `T | T[]`
 * @returns the types that `millrace types` prints
 */
export async function readClientTypes(server: ActionTarget, isSingle: boolean): Promise<string> {
  const collections: DescribedCollection[] = [];
  for (const index of await listIndexes(server))
    for (const name of await listCollections(server, index)) collections.push(await describe(server, index, name));
  const description = await server.execute('server', 'asyncapi');
  return writeClientTypes(collections, objectAt(description), isSingle);
}

async function describe(server: ActionTarget, index: string, collection: string): Promise<DescribedCollection> {
  const mapping = await server.execute('collection', 'getMapping', { index, collection });
  const specification = await readSpecification(server, { index, collection });
  const specified = valueAt(specification, 'validation', 'fields');
  return {
    index,
    name: collection,
    properties: objectAt(mapping, index, 'mappings', collection, 'properties'),
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
