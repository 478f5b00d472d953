import { defineAction, route, toNewCollectionName, type ActionDefinition } from '@millrace/kernel';
import type { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection } = storageArguments;

/** collection.create: the body may hold a mapping. */
export function createCollection(collections: CollectionCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'create',
    summary: 'Creates a collection, with a mapping if one is given; does nothing when it exists.',
    routes: [route('PUT /:index/:collection')],
    args: { index, collection },
    content: storageSchemas.mappingBody,
    result: storageSchemas.acknowledged,
    writes: true,
    effect: 'createsCollection',
    run: async ({ args, body }) => {
      await collections.create(toNewCollectionName(args.index, args.collection), body);
      return { acknowledged: true };
    },
  });
}
