import { defineAction, route, type ActionDefinition, type JsonObject } from '@millrace/kernel';
import type { Role } from '../rights/Role.js';
import type { RoleCatalog } from '../roles/RoleCatalog.js';
import type { RoleStore } from '../roles/RoleStore.js';
import type { StoredRecord } from '../store/RightsStore.js';
import { recordActions } from './recordActions.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';
import { termsSearch } from '../store/termsSearch.js';
import { toHitList } from './toHitList.js';

const { ids, indexes, controllers, from, size } = securityArguments;
const READING = { controller: 'security', args: {}, writes: false } as const;

/** Actions on roles. */
export function roleActions(catalog: RoleCatalog, store: RoleStore): readonly ActionDefinition[] {
  const { index, collection } = store.name;
  const toHit = ({ id, content }: StoredRecord<Role>): JsonObject => ({
    _id: id,
    _index: index,
    _type: collection,
    _score: 1,
    _source: content.body,
  });
  return [
    ...recordActions({
      catalog,
      store,
      name: 'Role',
      summaries: {
        update: 'Merges a change into a role.',
        delete: 'Deletes a role that no profile uses.',
        get: 'Gives a role as it was sent.',
      },
      routes: { delete: route('DELETE /roles/:_id'), get: route('GET /roles/:_id') },
      schemas: {
        content: securitySchemas.role,
        change: securitySchemas.roleChange,
        written: securitySchemas.writtenRole,
        updated: securitySchemas.updatedRole,
        stored: securitySchemas.storedRole,
      },
    }),
    defineAction({
      ...READING,
      action: 'mGetRoles',
      summary: 'Gives several roles.',
      routes: [route('POST /roles/_mget')],
      args: { ids },
      result: securitySchemas.roles,
      run: async ({ args }) => {
        const hits = (await store.getMany(args.ids)).map(toHit);
        return toHitList(hits, hits.length);
      },
    }),
    defineAction({
      ...READING,
      action: 'searchRoles',
      lists: 'roles',
      summary: 'Searches roles by the indexes or controllers that they name.',
      routes: [route('POST /roles/_search')],
      args: { indexes, controllers, from, size },
      result: securitySchemas.roles,
      queue: 'search',
      run: async ({ request, args }) => {
        const names = { indexes: args.indexes ?? [], controllers: args.controllers ?? [] };
        const { records, total } = await store.search(termsSearch(names, args), { signal: request.signal });
        return toHitList(records.map(toHit), total);
      },
    }),
  ];
}
