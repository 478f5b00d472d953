import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { NewIndexArgument } from '../catalog/IndexNames.js';
import type { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { collection } = storageArguments;

/** collection.create: the body may contain a mapping. */
export function createCollection(collections: CollectionCatalog, index: NewIndexArgument): ActionDefinition {
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
      await collections.create(nameOf(args), body);
      return { acknowledged: true };
    },
  });
}
