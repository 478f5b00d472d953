import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { DocumentSearch } from '../search/DocumentSearch.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, from, size, scroll } = storageArguments;

/** document.search: `from` and `size` in the body are parsed with the rest of it. */
export function searchDocuments(search: DocumentSearch): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'search',
    lists: 'documents',
    summary: 'Searches a collection; with `scroll`, opens a scroll.',
    routes: [route('POST /:index/:collection/_search')],
    args: { index, collection, from, size, scroll },
    content: storageSchemas.search,
    result: storageSchemas.searchResult,
    writes: false,
    queue: 'search',
    run: ({ request, args, body }) => search.search(nameOf(args), body, args, request),
  });
}
