import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection } = storageArguments;

/** collection.exists: checks stored collections; false in an absent index. */
export function collectionExists(collections: CollectionCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'exists',
    summary: 'Tells whether a stored collection exists.',
    routes: [route('GET /:index/:collection/_exists')],
    args: { index, collection },
    result: storageSchemas.boolean,
    writes: false,
    run: ({ args }) => collections.exists(nameOf(args)),
  });
}
