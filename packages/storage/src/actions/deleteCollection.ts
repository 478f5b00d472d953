import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { toCollectionName } from '../names/toCollectionName.js';
import { storageArguments } from './storageArguments.js';

const { index, collection, silent } = storageArguments;

/** collection.delete */
export function deleteCollection(collections: CollectionCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'delete',
    summary: 'Deletes a collection with its documents.',
    routes: [route('DELETE /:index/:collection')],
    args: { index, collection, silent },
    writes: true,
    effect: 'deletesCollection',
    run: async ({ args }) => {
      await collections.delete(toCollectionName(args.index, args.collection));
      return { acknowledged: true };
    },
  });
}
