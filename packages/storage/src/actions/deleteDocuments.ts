import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { MultiDocuments } from '../batches/MultiDocuments.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, ids, refresh, silent } = storageArguments;

/** document.mDelete */
export function deleteDocuments(many: MultiDocuments): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'mDelete',
    summary: 'Deletes several documents.',
    routes: [route('DELETE /:index/:collection/_mDelete')],
    args: { index, collection, ids, refresh, silent },
    result: storageSchemas.manyDeleted,
    mayFailInPart: true,
    writes: true,
    run: ({ request, args }) => {
      const name = nameOf(args);
      return many.delete(name, args.ids, toCommitOptions(request, args));
    },
  });
}
