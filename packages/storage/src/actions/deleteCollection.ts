import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { CollectionRemoval } from '../catalog/CollectionRemoval.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, silent } = storageArguments;

/** collection.delete */
export function deleteCollection(removal: CollectionRemoval): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'delete',
    summary: 'Deletes a collection with its documents.',
    routes: [route('DELETE /:index/:collection')],
    args: { index, collection, silent },
    result: storageSchemas.acknowledged,
    writes: true,
    effect: 'deletesCollection',
    run: async ({ request, args }) => {
      const options = toCommitOptions(request, args);
      await removal.delete(nameOf(args), options);
      return { acknowledged: true };
    },
  });
}
