import { defineAction, route, type ActionDefinition, type JsonObject } from '@millrace/kernel';
import { actorOf } from '../Actor.js';
import type { RoleCatalog } from '../roles/RoleCatalog.js';
import type { RoleStore, StoredRole } from '../roles/RoleStore.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';
import { toHitList } from './toHitList.js';
import { toWriteResult } from './toWriteResult.js';

const { _id, newId, ids, indexes, controllers, from, size } = securityArguments;
const SECURITY = { controller: 'security', args: {} } as const;
const READING = { ...SECURITY, writes: false } as const;
const WRITING = { ...SECURITY, writes: true } as const;

/** Actions on roles. */
export function roleActions(roles: RoleCatalog, store: RoleStore): readonly ActionDefinition[] {
  const result = (stored: StoredRole): JsonObject => ({
    ...toWriteResult(store.name, { ...stored, source: stored.role.body }),
    ...(stored.warnings === undefined ? undefined : { warnings: stored.warnings }),
  });
  return [
    defineAction({
      ...WRITING,
      action: 'createRole',
      summary: 'Creates a role; 409 when it exists.',
      routes: [route('POST /roles/:_id/_create')],
      args: { _id: newId },
      bodyRequired: true,
      content: securitySchemas.role,
      result: securitySchemas.writtenRole,
      run: async ({ request, args, body }) =>
        result(await roles.create(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...WRITING,
      action: 'createOrReplaceRole',
      summary: 'Creates or replaces a role.',
      routes: [route('PUT /roles/:_id'), route('PUT /roles/:_id/_createOrReplace')],
      args: { _id: newId },
      bodyRequired: true,
      content: securitySchemas.role,
      result: securitySchemas.writtenRole,
      run: async ({ request, args, body }) =>
        result(await roles.createOrReplace(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...WRITING,
      action: 'updateRole',
      summary: 'Merges a change into a role.',
      routes: [route('POST /roles/:_id')],
      args: { _id },
      bodyRequired: true,
      content: securitySchemas.roleChange,
      result: securitySchemas.updatedRole,
      run: async ({ request, args, body }) =>
        result(await roles.update(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...WRITING,
      action: 'deleteRole',
      summary: 'Deletes a role that no profile uses.',
      routes: [route('DELETE /roles/:_id')],
      args: { _id },
      result: securitySchemas.deleted,
      run: async ({ request, args }) => {
        await roles.delete(args._id, actorOf(request));
        return { _id: args._id };
      },
    }),
    ...readingActions(store),
  ];
}

function readingActions(store: RoleStore): readonly ActionDefinition[] {
  const { index, collection } = store.name;
  const toHit = ({ id, role }: StoredRole): JsonObject => ({
    _id: id,
    _index: index,
    _type: collection,
    _score: 1,
    _source: role.body,
  });
  return [
    defineAction({
      ...READING,
      action: 'getRole',
      summary: 'Gives a role as it was sent.',
      routes: [route('GET /roles/:_id')],
      args: { _id },
      result: securitySchemas.storedRole,
      run: async ({ args }) => {
        const { id, role } = await store.get(args._id);
        return { _id: id, _source: role.body };
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
        const { hits, total } = await store.search(args, request.signal);
        return toHitList(hits.map(toHit), total);
      },
    }),
  ];
}
