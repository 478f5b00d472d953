import { defineAction, route, type ActionDefinition, type JsonValue } from '@millrace/kernel';
import type { SpecificationCatalog } from '../validation/SpecificationCatalog.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { from, size } = storageArguments;

/** collection.searchSpecifications: searches the fields `index` and `collection` with the search language. */
export function searchSpecifications(specifications: SpecificationCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'searchSpecifications',
    lists: 'specifications',
    summary: 'Searches the validation specifications by index and collection.',
    routes: [route('POST /validations/_search')],
    args: { from, size },
    content: storageSchemas.search,
    result: storageSchemas.foundSpecifications,
    writes: false,
    queue: 'search',
    run: async ({ request, args, body }) => {
      const { hits, ...rest } = await specifications.search(body, args, request.signal);
      const listed = hits.map((hit): JsonValue => {
        const { index, collection, validation } = hit;
        const source = { index, collection, validation };
        return { _id: `${index}#${collection}`, _source: source, ...source };
      });
      return { hits: listed, ...rest };
    },
  });
}
