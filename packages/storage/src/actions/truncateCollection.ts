import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { CollectionRemoval } from '../catalog/CollectionRemoval.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, silent } = storageArguments;

/** collection.truncate */
export function truncateCollection(removal: CollectionRemoval): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'truncate',
    summary: 'Removes every document of a collection and keeps its mapping.',
    routes: [route('DELETE /:index/:collection/_truncate')],
    args: { index, collection, silent },
    result: storageSchemas.acknowledged,
    writes: true,
    effect: 'deletesCollection',
    run: async ({ request, args }) => {
      const options = toCommitOptions(request, args);
      await removal.truncate(nameOf(args), options);
      return { acknowledged: true };
    },
  });
}
