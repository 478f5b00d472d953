import {
  authErrors,
  defineAction,
  route,
  type ActionDefinition,
  type JsonObject,
  type Request,
} from '@millrace/kernel';
import { ANONYMOUS_ID } from '../assertAccountId.js';
import type { ApiKeyCatalog } from '../keys/ApiKeyCatalog.js';
import type { RecentLogin } from '../login/RecentLogin.js';
import { takeCurrentPassword } from '../login/takeCurrentPassword.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';

const { _id, keyId, graceMs, from, size } = securityArguments;
const OWN = { controller: 'auth', args: {} } as const;
const OF_USERS = { controller: 'security', args: {} } as const;

/** Dependencies of the actions on API keys. */
export interface ApiKeyParts {
  readonly keys: ApiKeyCatalog;
  readonly recentLogin: RecentLogin;
}

/** Actions on API keys: one's own in the controller auth, those of every user in the controller security. */
export function apiKeyActions(parts: ApiKeyParts): readonly ActionDefinition[] {
  return [...ownActions(parts), ...userActions(parts)];
}

function ownActions({ keys, recentLogin }: ApiKeyParts): readonly ActionDefinition[] {
  /** The body, after confirming the user's presence: a key outlives the token that it is created with. */
  const confirmed = async (request: Request, sent: JsonObject): Promise<JsonObject> => {
    const { body, currentPassword } = takeCurrentPassword(sent);
    await recentLogin.require(request, currentPassword);
    return body;
  };
  return [
    defineAction({
      ...OWN,
      action: 'createApiKey',
      queue: 'hashing',
      summary:
        'Creates an API key of the current user; needs `currentPassword` or a recent login. The answer alone contains the key.',
      routes: [route('POST /api-keys/_create')],
      writes: true,
      keepsAnswers: false,
      bodyRequired: true,
      content: securitySchemas.ownNewApiKey,
      result: securitySchemas.createdApiKey,
      run: async ({ request, body }) => {
        const userId = userOf(request);
        return keys.create(request, userId, await confirmed(request, body));
      },
    }),
    defineAction({
      ...OWN,
      action: 'searchApiKeys',
      summary: 'Lists the API keys of the current user.',
      routes: [route('POST /api-keys/_search')],
      args: { from, size },
      writes: false,
      result: securitySchemas.apiKeys,
      run: ({ request, args }) => keys.search(userOf(request), args, request.signal),
    }),
    defineAction({
      ...OWN,
      action: 'deleteApiKey',
      summary: 'Deletes an API key of the current user, which revokes it.',
      routes: [route('DELETE /api-keys/:keyId')],
      args: { keyId },
      writes: true,
      result: securitySchemas.deleted,
      run: async ({ request, args }) => {
        await keys.delete(userOf(request), args.keyId, request.user._id);
        return { _id: args.keyId };
      },
    }),
    defineAction({
      ...OWN,
      action: 'rotateApiKey',
      queue: 'hashing',
      summary: 'Gives an API key of the current user a new secret; needs `currentPassword` or a recent login.',
      routes: [route('POST /api-keys/:keyId/_rotate')],
      args: { keyId, graceMs },
      writes: true,
      keepsAnswers: false,
      content: securitySchemas.ownRotation,
      result: securitySchemas.createdApiKey,
      run: async ({ request, args, body }) => {
        const userId = userOf(request);
        await confirmed(request, body);
        return keys.rotate(request, userId, args.keyId, args.graceMs);
      },
    }),
  ];
}

function userActions({ keys }: ApiKeyParts): readonly ActionDefinition[] {
  return [
    defineAction({
      ...OF_USERS,
      action: 'createApiKey',
      summary: 'Creates an API key of a user. The answer alone contains the key.',
      routes: [route('POST /users/:_id/api-keys/_create')],
      args: { _id },
      writes: true,
      keepsAnswers: false,
      bodyRequired: true,
      content: securitySchemas.newApiKey,
      result: securitySchemas.createdApiKey,
      run: ({ request, args, body }) => keys.create(request, args._id, body),
    }),
    defineAction({
      ...OF_USERS,
      action: 'searchApiKeys',
      summary: 'Lists the API keys of a user.',
      routes: [route('POST /users/:_id/api-keys/_search')],
      args: { _id, from, size },
      writes: false,
      result: securitySchemas.apiKeys,
      run: ({ request, args }) => keys.search(args._id, args, request.signal),
    }),
    defineAction({
      ...OF_USERS,
      action: 'deleteApiKey',
      summary: 'Deletes an API key of a user, which revokes it.',
      routes: [route('DELETE /users/:_id/api-keys/:keyId')],
      args: { _id, keyId },
      writes: true,
      result: securitySchemas.deleted,
      run: async ({ request, args }) => {
        await keys.delete(args._id, args.keyId, request.user._id);
        return { _id: args.keyId };
      },
    }),
    defineAction({
      ...OF_USERS,
      action: 'rotateApiKey',
      summary: 'Gives an API key of a user a new secret.',
      routes: [route('POST /users/:_id/api-keys/:keyId/_rotate')],
      args: { _id, keyId, graceMs },
      writes: true,
      keepsAnswers: false,
      result: securitySchemas.createdApiKey,
      run: ({ request, args }) => keys.rotate(request, args._id, args.keyId, args.graceMs),
    }),
  ];
}

/** @throws auth.login_needed (401) for the anonymous user */
function userOf({ user, controller, action }: Request): string {
  if (user._id === ANONYMOUS_ID) throw authErrors.login_needed({ controller, action });
  return user._id;
}
