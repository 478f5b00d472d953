import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { IndexCatalog } from '../catalog/IndexCatalog.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, silent } = storageArguments;

/** index.delete */
export function deleteIndex(indexes: IndexCatalog): ActionDefinition {
  return defineAction({
    controller: 'index',
    action: 'delete',
    summary: 'Deletes an index with its collections and documents.',
    routes: [route('DELETE /:index')],
    args: { index, silent },
    result: storageSchemas.acknowledged,
    writes: true,
    effect: 'deletesIndex',
    run: async ({ request, args }) => {
      await indexes.delete(args.index, toCommitOptions(request, args));
      return { acknowledged: true };
    },
  });
}
