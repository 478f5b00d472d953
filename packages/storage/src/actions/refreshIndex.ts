import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { IndexCatalog } from '../catalog/IndexCatalog.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index } = storageArguments;

/** index.refresh */
export function refreshIndex(indexes: IndexCatalog): ActionDefinition {
  return defineAction({
    controller: 'index',
    action: 'refresh',
    summary: 'Makes all documents of the index visible to search at once.',
    routes: [route('POST /:index/_refresh')],
    args: { index },
    result: storageSchemas.shards,
    writes: false,
    run: async ({ args }) => {
      const shardCount = await indexes.refresh(args.index);
      return { _shards: { failed: 0, successful: shardCount, total: shardCount } };
    },
  });
}
