import {
  authErrors,
  defineAction,
  route,
  type ActionDefinition,
  type JsonObject,
  type Request,
  type Target,
} from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { ANONYMOUS_ID } from '../assertAccountId.js';
import { ApiKeyCatalog } from '../keys/ApiKeyCatalog.js';
import { RecentLogin } from '../login/RecentLogin.js';
import { takeCurrentPassword } from '../login/takeCurrentPassword.js';
import { MillraceSecurity } from '../MillraceSecurity.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';

const { _id, keyId, graceMs, from, size } = securityArguments;

/** The right to keys that never expire. */
const PERMANENT: Target = {
  controller: 'security',
  action: 'createPermanentApiKey',
  index: null,
  collection: null,
  id: null,
  body: null,
};

/** Actions on API keys: one's own in the controller auth, those of every user in the controller security. */
export function apiKeyActions(container: DependencyContainer): readonly ActionDefinition[] {
  return [...keyActions(container, 'auth'), ...keyActions(container, 'security')];
}

function keyActions(container: DependencyContainer, controller: 'auth' | 'security'): readonly ActionDefinition[] {
  const keys = container.resolve(ApiKeyCatalog);
  const recentLogin = container.resolve(RecentLogin);
  const security = container.resolve(MillraceSecurity);
  const isOwn = controller === 'auth';
  const path = isOwn ? '/api-keys' : '/users/:_id/api-keys';
  const owner: { readonly _id?: typeof _id } = isOwn ? {} : { _id };
  const whose = isOwn ? 'the current user' : 'a user';
  // A key outlives the token that it is created with, so the presence of the user is confirmed.
  const confirmation = isOwn ? '; needs `currentPassword` or a recent login' : '';
  const queue = isOwn ? 'hashing' : 'ordinary';
  const confirmed = async (request: Request, sent: JsonObject): Promise<JsonObject> => {
    if (!isOwn) return sent;
    const { body, currentPassword } = takeCurrentPassword(sent);
    await recentLogin.require(request, currentPassword);
    return body;
  };
  const authorOf = (request: Request) => ({
    id: request.user._id,
    assertMayBePermanent: () => security.authorizeTarget(request, PERMANENT),
  });
  return [
    defineAction({
      controller,
      action: 'createApiKey',
      queue,
      summary: `Creates an API key of ${whose}${confirmation}. The answer alone contains the key.`,
      routes: [route(`POST ${path}/_create`)],
      args: { ...owner },
      writes: true,
      keepsAnswers: false,
      bodyRequired: true,
      content: isOwn ? securitySchemas.ownNewApiKey : securitySchemas.newApiKey,
      result: securitySchemas.createdApiKey,
      run: async ({ request, args, body }) => {
        const userId = args._id ?? userOf(request);
        return keys.create(authorOf(request), userId, await confirmed(request, body));
      },
    }),
    defineAction({
      controller,
      action: 'searchApiKeys',
      summary: `Lists the API keys of ${whose}.`,
      routes: [route(`POST ${path}/_search`)],
      args: { ...owner, from, size },
      writes: false,
      result: securitySchemas.apiKeys,
      run: ({ request, args }) => keys.search(args._id ?? userOf(request), args, request.signal),
    }),
    defineAction({
      controller,
      action: 'deleteApiKey',
      summary: `Deletes an API key of ${whose}, which revokes it.`,
      routes: [route(`DELETE ${path}/:keyId`)],
      args: { ...owner, keyId },
      writes: true,
      result: securitySchemas.deleted,
      run: async ({ request, args }) => {
        await keys.delete(args._id ?? userOf(request), args.keyId, request.user._id);
        return { _id: args.keyId };
      },
    }),
    defineAction({
      controller,
      action: 'rotateApiKey',
      queue,
      summary: `Gives an API key of ${whose} a new secret${confirmation}.`,
      routes: [route(`POST ${path}/:keyId/_rotate`)],
      args: { ...owner, keyId, graceMs },
      writes: true,
      keepsAnswers: false,
      ...(isOwn && { content: securitySchemas.ownRotation }),
      result: securitySchemas.createdApiKey,
      run: async ({ request, args, body }) => {
        const userId = args._id ?? userOf(request);
        await confirmed(request, body);
        return keys.rotate(authorOf(request), userId, args.keyId, args.graceMs);
      },
    }),
  ];
}

/** @throws auth.login_needed (401) for the anonymous user */
function userOf({ user, controller, action }: Request): string {
  if (user._id === ANONYMOUS_ID) throw authErrors.login_needed({ controller, action });
  return user._id;
}
