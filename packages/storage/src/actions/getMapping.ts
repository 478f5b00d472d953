import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection } = storageArguments;

/** collection.getMapping */
export function getMapping(collections: CollectionCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'getMapping',
    summary: 'Gives the mapping of a collection in current terms.',
    routes: [route('GET /:index/:collection/_mapping')],
    args: { index, collection },
    result: storageSchemas.mappings,
    writes: false,
    run: async ({ request, args }) => {
      const mapping = await collections.getMapping(nameOf(args), request);
      return { [args.index]: { mappings: { [args.collection]: mapping } } };
    },
  });
}
