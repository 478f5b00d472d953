import {
  ANONYMOUS,
  alsoInBody,
  boolean,
  defineAction,
  route,
  text,
  type ActionDefinition,
  type JsonObject,
} from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { actorOf } from '../Actor.js';
import { FirstAdministrator } from '../FirstAdministrator.js';
import { LoginLimits } from '../limits/LoginLimits.js';
import { RightsLists } from '../RightsLists.js';
import { UserAccounts } from '../accounts/UserAccounts.js';
import { UserMapping } from '../users/UserMapping.js';
import { toPublicSource, type UserRecord } from '../users/UserRecord.js';
import { UserStore } from '../users/UserStore.js';
import { UserWriter } from '../accounts/UserWriter.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';
import { toWriteResult } from './toWriteResult.js';

const { _id, newId, optionalNewId, from, size } = securityArguments;
const ANONYMOUS_SOURCE: JsonObject = {
  profileIds: ANONYMOUS.profileIds,
  profileId: ANONYMOUS.profileIds[0] ?? '',
};
const SECURITY = { controller: 'security', args: {} } as const;
const READING = { ...SECURITY, writes: false } as const;
const WRITING = { ...SECURITY, writes: true } as const;

/** Actions on users. */
export function userActions(container: DependencyContainer): readonly ActionDefinition[] {
  return [
    ...creatingActions(container),
    ...changingActions(container),
    ...readingActions(container),
    ...mappingActions(container.resolve(UserMapping)),
  ];
}

function creatingActions(container: DependencyContainer): readonly ActionDefinition[] {
  const accounts = container.resolve(UserAccounts);
  const limits = container.resolve(LoginLimits);
  const firstAdministrator = container.resolve(FirstAdministrator);
  const created = toResult(container.resolve(UserStore), true);
  return [
    defineAction({
      ...WRITING,
      action: 'createUser',
      queue: 'hashing',
      summary: 'Creates a user; 409 when it exists.',
      routes: [route('POST /users/:_id/_create'), route('POST /users/_create')],
      args: { _id: optionalNewId },
      bodyRequired: true,
      content: securitySchemas.newUser,
      result: securitySchemas.writtenUser,
      run: async ({ request, args, body }) => created(await accounts.create(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...WRITING,
      action: 'createRestrictedUser',
      queue: 'hashing',
      summary: 'Creates a user with the configured profiles: sign-up.',
      routes: [route('POST /users/:_id/_createRestricted'), route('POST /users/_createRestricted')],
      args: { _id: optionalNewId },
      bodyRequired: true,
      content: securitySchemas.ownProperties,
      result: securitySchemas.writtenUser,
      run: async ({ request, args, body }) => {
        const { session, connection } = request;
        if (session === null) await limits.countSignUp(connection.remoteAddress);
        return created(await accounts.createRestricted(args._id, body, actorOf(request)));
      },
    }),
    defineAction({
      ...WRITING,
      action: 'createFirstAdmin',
      queue: 'hashing',
      summary:
        'Creates the first administrator; 412 when there is one. Lists the accounts made before, and removes them if asked to.',
      routes: [route('POST /_createFirstAdmin'), route('POST /users/:_id/_createFirstAdmin')],
      args: {
        _id: optionalNewId,
        reset: alsoInBody(boolean()),
        setupToken: alsoInBody(text()),
        removeMadeWhileOpen: alsoInBody(boolean()),
      },
      content: securitySchemas.ownProperties,
      result: securitySchemas.firstAdministrator,
      run: async ({ request, args, body }) => {
        const { _id: id, reset = true, setupToken, removeMadeWhileOpen = false } = args;
        const wanted = { id, body, reset, setupToken, removeMadeWhileOpen };
        const outcome = await firstAdministrator.create(wanted, actorOf(request));
        return { ...created(outcome.record), madeWhileOpen: outcome.madeWhileOpen };
      },
    }),
  ];
}

function changingActions(container: DependencyContainer): readonly ActionDefinition[] {
  const accounts = container.resolve(UserAccounts);
  const writer = container.resolve(UserWriter);
  const store = container.resolve(UserStore);
  return [
    defineAction({
      ...WRITING,
      action: 'createOrReplaceUser',
      queue: 'hashing',
      summary: 'Creates or replaces a user.',
      routes: [route('PUT /users/:_id')],
      args: { _id: newId },
      bodyRequired: true,
      content: securitySchemas.newUser,
      result: securitySchemas.writtenUser,
      run: async ({ request, args, body }) => {
        const { record, isNew } = await accounts.createOrReplace(args._id, body, actorOf(request));
        return toResult(store, isNew)(record);
      },
    }),
    defineAction({
      ...WRITING,
      action: 'updateUser',
      queue: 'hashing',
      summary: 'Merges properties into a user; may change profiles and credentials.',
      routes: [route('POST /users/:_id')],
      args: { _id },
      bodyRequired: true,
      content: securitySchemas.userChange,
      result: securitySchemas.updatedUser,
      run: async ({ request, args, body }) => toResult(store)(await accounts.update(args._id, body, actorOf(request))),
    }),
    defineAction({
      ...WRITING,
      action: 'revokeTokens',
      summary: 'Revokes all tokens of a user, which signs the user out everywhere. API keys stay.',
      routes: [route('POST /users/:_id/_revokeTokens')],
      args: { _id },
      result: securitySchemas.acknowledged,
      run: async ({ request, args }) => {
        await writer.revokeTokens(args._id, actorOf(request));
        return { acknowledged: true };
      },
    }),
    defineAction({
      ...WRITING,
      action: 'deleteUser',
      summary: 'Deletes a user with its credentials and tokens.',
      routes: [route('DELETE /users/:_id')],
      args: { _id },
      result: securitySchemas.deleted,
      run: async ({ request, args }) => {
        await writer.delete(args._id, actorOf(request));
        return { _id: args._id };
      },
    }),
  ];
}

function readingActions(container: DependencyContainer): readonly ActionDefinition[] {
  const store = container.resolve(UserStore);
  const rights = container.resolve(RightsLists);
  return [
    defineAction({
      ...READING,
      action: 'getUser',
      summary: 'Gives a user, without anything secret.',
      routes: [route('GET /users/:_id')],
      args: { _id },
      result: securitySchemas.storedUser,
      run: async ({ args }) => {
        // The anonymous user isn't stored but has an identity (SEC-40).
        if (args._id === ANONYMOUS._id) return { _id: ANONYMOUS._id, _source: ANONYMOUS_SOURCE };
        const record = await store.get(args._id);
        return { _id: record.id, _source: toPublicSource(record) };
      },
    }),
    defineAction({
      ...READING,
      action: 'getUserRights',
      summary: 'Lists the rights of a user.',
      routes: [route('GET /_users/:_id/_rights')],
      args: { _id },
      result: securitySchemas.rights,
      run: async ({ args }) => {
        const isAnonymous = args._id === ANONYMOUS._id;
        const user = isAnonymous ? ANONYMOUS : (await store.get(args._id)).user;
        return { hits: await rights.of(user) };
      },
    }),
    defineAction({
      ...READING,
      action: 'searchUsers',
      lists: 'users',
      summary: 'Searches users in the query language.',
      routes: [route('POST /users/_search')],
      args: { from, size },
      content: securitySchemas.query,
      result: securitySchemas.foundUsers,
      queue: 'search',
      run: async ({ request, args, body }) => {
        const { hits, total } = await store.searchUsers(body, args, request.signal);
        return { total, hits: hits.map((hit): JsonObject => ({ ...hit })) };
      },
    }),
  ];
}

function mappingActions(mapping: UserMapping): readonly ActionDefinition[] {
  // Older clients call these actions on the controller `collection`.
  return (['security', 'collection'] as const).flatMap((controller) => [
    defineAction({
      ...READING,
      controller,
      action: 'getUserMapping',
      summary: "Gives the mapping of users' free properties; for administrators.",
      routes: controller === 'security' ? [route('GET /users/_mapping')] : [],
      result: securitySchemas.userMapping,
      run: () => mapping.get(),
    }),
    defineAction({
      ...WRITING,
      controller,
      action: 'updateUserMapping',
      summary: "Adds to the mapping of users' free properties; for administrators.",
      routes: controller === 'security' ? [route('PUT /users/_mapping')] : [],
      bodyRequired: true,
      content: securitySchemas.mapping,
      result: securitySchemas.acknowledged,
      run: async ({ body }) => {
        await mapping.update(body);
        return { acknowledged: true };
      },
    }),
  ]);
}

function toResult(store: UserStore, isNew?: boolean): (record: UserRecord) => JsonObject {
  return ({ id, version, ...rest }) => {
    const source = toPublicSource({ id, version, ...rest });
    const created = isNew === undefined ? undefined : { isNew };
    return toWriteResult(store.name, { id, version, source, ...created });
  };
}
