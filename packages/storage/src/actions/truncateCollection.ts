import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { toCollectionName } from '../names/toCollectionName.js';
import { storageArguments } from './storageArguments.js';

const { index, collection, silent } = storageArguments;

/** collection.truncate */
export function truncateCollection(collections: CollectionCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'truncate',
    summary: 'Removes every document of a collection and keeps its mapping.',
    routes: [route('DELETE /:index/:collection/_truncate')],
    args: { index, collection, silent },
    writes: true,
    effect: 'deletesCollection',
    run: async ({ args }) => {
      await collections.truncate(toCollectionName(args.index, args.collection));
      return { acknowledged: true };
    },
  });
}
