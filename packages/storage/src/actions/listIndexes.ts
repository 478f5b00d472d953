import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { IndexCatalog } from '../catalog/IndexCatalog.js';
import { storageSchemas } from './storageSchemas.js';

/** index.list: `indexes` repeats `hits` for older clients (DOC-50). */
export function listIndexes(indexes: IndexCatalog): ActionDefinition {
  return defineAction({
    controller: 'index',
    action: 'list',
    summary: 'Lists the indexes by name.',
    routes: [route('GET /_list')],
    args: {},
    result: storageSchemas.indexes,
    writes: false,
    run: async () => {
      const hits = await indexes.list();
      return { total: hits.length, hits, indexes: hits };
    },
  });
}
