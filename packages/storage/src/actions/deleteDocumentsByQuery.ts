import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { QueryDeletion } from '../search/QueryDeletion.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, refresh, silent } = storageArguments;

/** document.deleteByQuery: `ids` repeats `hits` for older clients (DOC-50). */
export function deleteDocumentsByQuery(deletion: QueryDeletion): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'deleteByQuery',
    summary: 'Deletes every document that matches.',
    routes: [route('DELETE /:index/:collection/_query')],
    args: { index, collection, refresh, silent },
    content: storageSchemas.query,
    result: storageSchemas.deletedMany,
    mayFailInPart: true,
    writes: true,
    queue: 'search',
    run: async ({ request, args, body }) => {
      const name = nameOf(args);
      const hits = await deletion.delete(name, body, toCommitOptions(request, args), request.signal);
      return { hits, ids: hits };
    },
  });
}
