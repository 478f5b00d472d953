import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { DocumentSearch } from '../search/DocumentSearch.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection } = storageArguments;

/** document.count */
export function countDocuments(search: DocumentSearch): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'count',
    summary: 'Counts the documents that match.',
    routes: [route('POST /:index/:collection/_count')],
    args: { index, collection },
    content: storageSchemas.query,
    result: storageSchemas.count,
    writes: false,
    queue: 'search',
    run: async ({ request, args, body }) => ({
      count: await search.count(nameOf(args), body, request),
    }),
  });
}
