import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { IndexCatalog } from '../catalog/IndexCatalog.js';
import { storageSchemas } from './storageSchemas.js';

/** index.refreshInternal: the internal index can't be named in a request. */
export function refreshInternal(indexes: IndexCatalog): ActionDefinition {
  return defineAction({
    controller: 'index',
    action: 'refreshInternal',
    summary: 'Makes users, profiles and roles visible to search at once; for administrators.',
    routes: [route('GET /_refreshInternal')],
    args: {},
    result: storageSchemas.acknowledged,
    writes: false,
    run: async () => {
      await indexes.refreshInternal();
      return { acknowledged: true };
    },
  });
}
