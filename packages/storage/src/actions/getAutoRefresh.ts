import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { IndexCatalog } from '../catalog/IndexCatalog.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index } = storageArguments;

/** index.getAutoRefresh */
export function getAutoRefresh(indexes: IndexCatalog): ActionDefinition {
  return defineAction({
    controller: 'index',
    action: 'getAutoRefresh',
    summary: 'Tells whether each write to the index is followed by a refresh.',
    routes: [route('GET /:index/_autoRefresh')],
    args: { index },
    result: storageSchemas.boolean,
    writes: false,
    run: ({ args }) => indexes.getAutoRefresh(args.index),
  });
}
