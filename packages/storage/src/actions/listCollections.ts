import { alsoInBody, defineAction, oneOf, route, type ActionDefinition } from '@millrace/kernel';
import type { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index } = storageArguments;
// Also allowed in the body, which has no content for this action (PROTO-5).
const type = alsoInBody(oneOf('all', 'stored', 'realtime'));
const from = alsoInBody(storageArguments.from);
const size = alsoInBody(storageArguments.size);

/** collection.list: the result repeats `from` and `size` if the request has them. */
export function listCollections(collections: CollectionCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'list',
    lists: 'collections',
    summary: 'Lists the collections of an index by name.',
    routes: [route('GET /:index/_list'), route('GET /:index/_list/:type')],
    args: { index, type, from, size },
    result: storageSchemas.collections,
    writes: false,
    run: async ({ args }) => {
      const { type: listType = 'all', from: first, size: count } = args;
      const listed = await collections.list(args.index, listType);
      const start = first ?? 0;
      const page = listed.slice(start, count === undefined ? undefined : start + count);
      return {
        collections: page.map(({ name, type: kind }) => ({ name, type: kind })),
        type: listType,
        ...(first === undefined ? {} : { from: first }),
        ...(count === undefined ? {} : { size: count }),
      };
    },
  });
}
