import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection } = storageArguments;

/** collection.eraseHistory */
export function eraseHistory(collections: CollectionCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'eraseHistory',
    summary:
      'Removes the recorded changes of a collection, with the content of deleted documents; subscriptions can not resume from before.',
    routes: [route('DELETE /:index/:collection/_history')],
    args: { index, collection },
    result: storageSchemas.acknowledged,
    writes: true,
    run: async ({ args }) => {
      await collections.eraseHistory(nameOf(args));
      return { acknowledged: true };
    },
  });
}
