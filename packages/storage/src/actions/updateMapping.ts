import { apiErrors, defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { NewIndexArgument } from '../catalog/IndexNames.js';
import type { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { collection } = storageArguments;

/** collection.updateMapping */
export function updateMapping(collections: CollectionCatalog, index: NewIndexArgument): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'updateMapping',
    summary: 'Merges a mapping into that of a collection, which is created when absent.',
    routes: [route('PUT /:index/:collection/_mapping')],
    args: { index, collection },
    bodyRequired: true,
    content: storageSchemas.mappingBody,
    result: storageSchemas.empty,
    writes: true,
    effect: 'createsCollection',
    run: async ({ args, body }) => {
      if ((body['properties'] ?? null) === null) {
        throw apiErrors.missing_argument({ name: 'properties', expected: 'an object of fields' });
      }
      await collections.updateMapping(nameOf(args), body);
      return {};
    },
  });
}
