import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { IndexCatalog } from '../catalog/IndexCatalog.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { indexes, silent } = storageArguments;

/** index.mDelete */
export function deleteIndexes(catalog: IndexCatalog): ActionDefinition {
  return defineAction({
    controller: 'index',
    action: 'mDelete',
    summary: 'Deletes the named indexes, or all of them where none is named.',
    routes: [route('DELETE /_mDelete')],
    args: { indexes, silent },
    result: storageSchemas.deletedIndexes,
    writes: true,
    effect: 'deletesIndex',
    authorizesItself: true,
    run: async ({ request, args }) => ({
      deleted: await catalog.deleteMany(args.indexes ?? [], request, toCommitOptions(request, args)),
    }),
  });
}
