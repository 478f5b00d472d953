import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { IndexCatalog } from '../catalog/IndexCatalog.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, autoRefresh } = storageArguments;

/** index.setAutoRefresh */
export function setAutoRefresh(indexes: IndexCatalog): ActionDefinition {
  return defineAction({
    controller: 'index',
    action: 'setAutoRefresh',
    summary: 'Sets whether each write to the index is followed by a refresh.',
    routes: [route('POST /:index/_autoRefresh')],
    args: { index, autoRefresh },
    result: storageSchemas.boolean,
    writes: true,
    run: async ({ args }) => {
      await indexes.setAutoRefresh(args.index, args.autoRefresh);
      return args.autoRefresh;
    },
  });
}
