import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { CollectionRemoval } from '../catalog/CollectionRemoval.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, silent } = storageArguments;

const ROWS = [
  ['delete', 'DELETE /:index/:collection', 'Deletes a collection with its documents.'],
  ['truncate', 'DELETE /:index/:collection/_truncate', 'Removes every document of a collection and keeps its mapping.'],
] as const;

/** collection.delete and collection.truncate */
export function removalActions(removal: CollectionRemoval): readonly ActionDefinition[] {
  return ROWS.map(([action, path, summary]) =>
    defineAction({
      controller: 'collection',
      action,
      summary,
      routes: [route(path)],
      args: { index, collection, silent },
      result: storageSchemas.acknowledged,
      writes: true,
      effect: 'deletesCollection',
      run: async ({ request, args }) => {
        await removal[action](nameOf(args), toCommitOptions(request, args));
        return { acknowledged: true };
      },
    }),
  );
}
