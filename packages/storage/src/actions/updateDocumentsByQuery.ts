import { alsoInBody, defineAction, object, required, route, type ActionDefinition } from '@millrace/kernel';
import { toCommitOptions } from '../documents/CommitOptions.js';
import type { QueryUpdates } from '../search/QueryUpdates.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, refresh, silent } = storageArguments;
const doc = alsoInBody(required(object()));

/** document.updateByQuery (DOC-16). */
export function updateDocumentsByQuery(updates: QueryUpdates): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'updateByQuery',
    summary: 'Merges `doc` into every document that matches `query`.',
    routes: [route('PUT /:index/:collection/_byQuery')],
    args: { index, collection, doc, refresh, silent },
    bodyRequired: true,
    content: storageSchemas.query,
    result: storageSchemas.updatedMany,
    mayFailInPart: true,
    writes: true,
    queue: 'search',
    run: ({ request, args, body }) =>
      updates.update({
        name: nameOf(args),
        query: body,
        changes: args.doc,
        signal: request.signal,
        ...toCommitOptions(request, args),
      }),
  });
}
