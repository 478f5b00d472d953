import { defineAction, route, type ActionDefinition, type JsonObject, type Route } from '@millrace/kernel';
import { actorOf } from '../Actor.js';
import type { RecordCatalog } from '../store/RecordCatalog.js';
import type { RightsStore, StoredRecord } from '../store/RightsStore.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';
import { toWriteResult } from './toWriteResult.js';

const { _id, newId } = securityArguments;
const SECURITY = { controller: 'security', args: {} } as const;

/** The differences between the actions on roles and on profiles. */
export interface RecordActions<T> {
  readonly catalog: RecordCatalog<T>;
  readonly store: RightsStore<T>;
  readonly name: 'Role' | 'Profile';
  readonly summaries: {
    readonly update: string;
    readonly delete: string;
    readonly get: string;
  };
  readonly routes: { readonly delete: Route; readonly get: Route };
  readonly schemas: {
    readonly content: JsonObject;
    readonly change: JsonObject;
    readonly written: JsonObject;
    readonly updated: JsonObject;
    readonly stored: JsonObject;
  };
}

/** The actions that roles and profiles share: create, createOrReplace, update, delete and get. */
export function recordActions<T>(record: RecordActions<T>): readonly ActionDefinition[] {
  const { catalog, store, name, summaries, routes, schemas } = record;
  const { noun, collection: path, toBody } = store.rights;
  const result = (stored: StoredRecord<T>): JsonObject => ({
    ...toWriteResult(store.name, { ...stored, source: toBody(stored.content) }),
    ...(stored.warnings === undefined ? undefined : { warnings: stored.warnings }),
  });
  return [
    defineAction({
      ...SECURITY,
      writes: true,
      action: `create${name}`,
      summary: `Creates a ${noun}; 409 when it exists.`,
      routes: [route(`POST /${path}/:_id/_create`)],
      args: { _id: newId },
      bodyRequired: true,
      content: schemas.content,
      result: schemas.written,
      run: async ({ request, args, body }) => result(await catalog.create(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...SECURITY,
      writes: true,
      action: `createOrReplace${name}`,
      summary: `Creates or replaces a ${noun}.`,
      routes: [route(`PUT /${path}/:_id`), route(`PUT /${path}/:_id/_createOrReplace`)],
      args: { _id: newId },
      bodyRequired: true,
      content: schemas.content,
      result: schemas.written,
      run: async ({ request, args, body }) => result(await catalog.createOrReplace(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...SECURITY,
      writes: true,
      action: `update${name}`,
      summary: summaries.update,
      routes: [route(`POST /${path}/:_id`)],
      args: { _id },
      bodyRequired: true,
      content: schemas.change,
      result: schemas.updated,
      run: async ({ request, args, body }) => result(await catalog.update(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...SECURITY,
      writes: true,
      action: `delete${name}`,
      summary: summaries.delete,
      routes: [routes.delete],
      args: { _id },
      result: securitySchemas.deleted,
      run: async ({ request, args }) => {
        await catalog.delete(args._id, actorOf(request));
        return { _id: args._id };
      },
    }),
    defineAction({
      ...SECURITY,
      writes: false,
      action: `get${name}`,
      summary: summaries.get,
      routes: [routes.get],
      args: { _id },
      result: schemas.stored,
      run: async ({ args }) => {
        const { id, content } = await store.get(args._id);
        return { _id: id, _source: toBody(content) };
      },
    }),
  ];
}
