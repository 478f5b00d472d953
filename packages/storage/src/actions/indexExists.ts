import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { IndexCatalog } from '../catalog/IndexCatalog.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index } = storageArguments;

/** index.exists */
export function indexExists(indexes: IndexCatalog): ActionDefinition {
  return defineAction({
    controller: 'index',
    action: 'exists',
    summary: 'Tells whether an index exists.',
    routes: [route('GET /:index/_exists')],
    args: { index },
    result: storageSchemas.boolean,
    writes: false,
    run: ({ args }) => indexes.exists(args.index),
  });
}
