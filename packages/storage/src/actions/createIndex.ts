import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { NewIndexArgument } from '../catalog/IndexNames.js';
import type { IndexCatalog } from '../catalog/IndexCatalog.js';
import { storageSchemas } from './storageSchemas.js';

/** index.create */
export function createIndex(indexes: IndexCatalog, index: NewIndexArgument): ActionDefinition {
  return defineAction({
    controller: 'index',
    action: 'create',
    summary: 'Creates an index; 409 when it exists.',
    routes: [route('PUT /:index')],
    args: { index },
    result: storageSchemas.acknowledged,
    writes: true,
    effect: 'createsIndex',
    run: async ({ args }) => {
      await indexes.create(args.index);
      return { acknowledged: true };
    },
  });
}
