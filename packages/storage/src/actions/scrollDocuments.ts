import { alsoInBody, defineAction, required, route, text, type ActionDefinition } from '@millrace/kernel';
import type { DocumentSearch } from '../search/DocumentSearch.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { scroll } = storageArguments;

/** document.scroll: the scroll determines its index and collection. */
export function scrollDocuments(search: DocumentSearch): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'scroll',
    summary: 'Gives the next page of a scroll.',
    routes: [route('POST /_scroll/:scrollId')],
    args: { scrollId: alsoInBody(required(text())), scroll },
    result: storageSchemas.searchResult,
    writes: false,
    queue: 'search',
    authorizesItself: true,
    run: ({ request, args }) => search.scroll(args.scrollId, args.scroll, request),
  });
}
