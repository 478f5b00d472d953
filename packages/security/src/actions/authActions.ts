import {
  alsoInBody,
  authErrors,
  boolean,
  defineAction,
  oneOf,
  required,
  route,
  text,
  type ActionDefinition,
  type ActionRequest,
  type JsonObject,
} from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { actorOf } from '../Actor.js';
import { ANONYMOUS_ID } from '../assertAccountId.js';
import { CurrentUser } from '../login/CurrentUser.js';
import { LoginService } from '../login/LoginService.js';
import { OwnCredentials } from '../login/OwnCredentials.js';
import { RecentLogin } from '../login/RecentLogin.js';
import { SessionService } from '../login/SessionService.js';
import { takeCurrentPassword } from '../login/takeCurrentPassword.js';
import { UserAccounts } from '../accounts/UserAccounts.js';
import { toPublicSource } from '../users/UserRecord.js';
import { securityArguments } from './securityArguments.js';
import { securitySchemas } from './securitySchemas.js';

const { strategy, expiresIn } = securityArguments;
const AUTH = { controller: 'auth', args: {}, writes: false } as const;
/** Responses of this controller repeat the token used (PROTO-14). */
const ECHOING = { ...AUTH, echoesToken: true } as const;
const DEFAULT_STRATEGY = 'local';
/** Fields of every message, which aren't parameters of a strategy. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'requestId', 'controller', 'action', 'index', 'collection', '_id', 'body', 'metadata', 'jwt', 'headers', 'strategy',
  'expiresIn', 'volatile', 'returnTo', 'returnChallenge', 'returnTicket', 'returnVerifier',
]); // prettier-ignore

/** Actions of the auth controller. */
export function authActions(container: DependencyContainer): readonly ActionDefinition[] {
  return [
    ...loginActions(container),
    ...ownActions(container),
    ...credentialActions(container.resolve(OwnCredentials)),
  ];
}

function loginActions(container: DependencyContainer): readonly ActionDefinition[] {
  const logins = container.resolve(LoginService);
  const sessions = container.resolve(SessionService);
  return [
    defineAction({
      ...AUTH,
      action: 'login',
      queue: 'hashing',
      summary: 'Logs a user in by a strategy and gives a token.',
      routes: [route('POST /_login'), route('GET /_login/:strategy'), route('POST /_login/:strategy')],
      args: {
        strategy: alsoInBody(text()),
        expiresIn,
        returnTo: alsoInBody(text()),
        returnChallenge: alsoInBody(text()),
      },
      ignoresToken: true,
      readsFields: true,
      takesForm: (fields) => logins.takesForm(fields['strategy']),
      content: securitySchemas.loginParameters,
      result: securitySchemas.login,
      mayRedirect: true,
      run: ({ request, args, body, fields }) =>
        logins.login({
          strategy: args.strategy ?? DEFAULT_STRATEGY,
          expiresIn: args.expiresIn?.value,
          parameters: { ...queryOf({ request, fields }), ...body },
          returnTo: args.returnTo,
          returnChallenge: args.returnChallenge,
          request,
        }),
    }),
    defineAction({
      ...AUTH,
      action: 'checkToken',
      summary: 'Tells whether a token is valid, and if not why.',
      routes: [route('POST /_checkToken')],
      args: { token: alsoInBody(required(text())) },
      ignoresToken: true,
      result: securitySchemas.tokenState,
      run: ({ request, args }) => sessions.check(args.token, request.connection),
    }),
    defineAction({
      ...AUTH,
      action: 'logout',
      queue: 'immediate',
      summary: 'Revokes the token that the request carries; `everywhere`: all tokens of its user.',
      routes: [route('GET /_logout')],
      args: { everywhere: alsoInBody(boolean()) },
      writes: true,
      keepsAnswers: false,
      result: securitySchemas.empty,
      run: async ({ request, args }) => {
        await sessions.logout(request, args.everywhere === true);
        return {};
      },
    }),
    defineAction({
      ...ECHOING,
      action: 'refreshToken',
      summary: 'Exchanges the token that the request carries for a new one.',
      routes: [route('POST /_refreshToken')],
      args: { expiresIn },
      writes: true,
      keepsAnswers: false,
      result: securitySchemas.newToken,
      run: ({ request, args }) => sessions.refresh(request, args.expiresIn?.value),
    }),
    defineAction({
      ...ECHOING,
      action: 'getStrategies',
      summary:
        'Lists the names of the strategies to log in with; `kind`: only those that redirect to a provider, or the others.',
      routes: [route('GET /strategies')],
      args: { kind: alsoInBody(oneOf('redirect', 'credentials')) },
      result: securitySchemas.strategies,
      run: ({ args: { kind } }) => logins.listStrategies(kind),
    }),
  ];
}

function ownActions(container: DependencyContainer): readonly ActionDefinition[] {
  const current = container.resolve(CurrentUser);
  const accounts = container.resolve(UserAccounts);
  const recentLogin = container.resolve(RecentLogin);
  return [
    defineAction({
      ...ECHOING,
      action: 'getCurrentUser',
      summary: 'Describes the current user, with profiles and roles.',
      routes: [route('GET /users/_me')],
      result: securitySchemas.currentUser,
      run: ({ request }) => current.describe(request),
    }),
    defineAction({
      ...ECHOING,
      action: 'getMyRights',
      summary: 'Lists the rights of the current user.',
      routes: [route('GET /users/_me/_rights')],
      result: securitySchemas.rights,
      run: ({ request }) => current.listRights(request),
    }),
    defineAction({
      ...ECHOING,
      action: 'updateSelf',
      queue: 'hashing',
      summary:
        'Changes properties and credentials of the current user; credentials need `currentPassword` or a recent login.',
      routes: [route('PUT /_updateSelf')],
      writes: true,
      bodyRequired: true,
      content: securitySchemas.ownChange,
      result: securitySchemas.storedUser,
      run: async ({ request, body }) => {
        const { user, controller, action } = request;
        if (user._id === ANONYMOUS_ID) throw authErrors.login_needed({ controller, action });
        const { body: properties, currentPassword } = takeCurrentPassword(body);
        const confirm = () => recentLogin.require(request, currentPassword);
        const record = await accounts.updateSelf(properties, actorOf(request), confirm);
        return { _id: record.id, _source: toPublicSource(record) };
      },
    }),
  ];
}

function credentialActions(credentials: OwnCredentials): readonly ActionDefinition[] {
  return [
    defineAction({
      ...ECHOING,
      action: 'createMyCredentials',
      queue: 'hashing',
      summary: 'Gives the current user credentials of a strategy.',
      routes: [route('POST /credentials/:strategy/_me/_create')],
      args: { strategy },
      writes: true,
      bodyRequired: true,
      content: securitySchemas.credentials,
      result: securitySchemas.empty,
      run: async ({ request, args, body }) => {
        await credentials.create(request, args.strategy, body);
        return {};
      },
    }),
    defineAction({
      ...ECHOING,
      action: 'updateMyCredentials',
      queue: 'hashing',
      summary: "Replaces the asking user's credentials of a strategy and revokes the user's other tokens.",
      routes: [route('PUT /credentials/:strategy/_me/_update')],
      args: { strategy },
      writes: true,
      bodyRequired: true,
      content: securitySchemas.credentials,
      result: securitySchemas.empty,
      run: async ({ request, args, body }) => {
        await credentials.update(request, args.strategy, body);
        return {};
      },
    }),
    defineAction({
      ...ECHOING,
      action: 'deleteMyCredentials',
      queue: 'hashing',
      summary: "Removes the asking user's credentials of a strategy and revokes the user's other tokens.",
      routes: [route('DELETE /credentials/:strategy/_me')],
      args: { strategy },
      writes: true,
      result: securitySchemas.acknowledged,
      content: securitySchemas.confirmation,
      run: async ({ request, args, body }) => {
        await credentials.delete(request, args.strategy, body);
        return { acknowledged: true };
      },
    }),
    defineAction({
      ...ECHOING,
      action: 'hasMyCredentials',
      summary: 'Tells whether the current user has credentials of a strategy.',
      routes: [route('GET /credentials/:strategy/_me/_exists')],
      args: { strategy },
      result: securitySchemas.boolean,
      run: ({ request, args }) => credentials.has(request, args.strategy),
    }),
  ];
}

/**
 * Over HTTP the query string, where a provider's callback sends its parameters (`code`, `state`); in other protocols
 * they are in the body.
 */
function queryOf({ request, fields }: Pick<ActionRequest, 'request' | 'fields'>): JsonObject {
  if (request.connection.protocol !== 'http') return {};
  const own = Object.entries(fields).filter(([name]) => !MESSAGE_FIELDS.has(name));
  return Object.fromEntries(own) as JsonObject;
}
