/*
 * The single point of authorisation. All data it needs is in memory once warm, so authenticating and authorising a
 * request returns values rather than promises; only the first use after a change, and conditions about documents,
 * wait for the store.
 *
 * Order of checks: createFirstAdmin is allowed to everyone; while the server is open, every action but `getConfig`;
 * actions reserved to administrators; anonymous requests before a first administrator; then the rights of the user's
 * profiles; then whether the action is public. An index, collection or id counts only if the action takes it as an
 * argument: otherwise a user's right on one index would extend, by a mere field of the message, to actions that
 * concern no index at all.
 */
import {
  ACTIONS,
  andThen,
  ANONYMOUS,
  authErrors,
  isError,
  isThenable,
  type MillraceError,
  securityErrors,
  storageErrors,
  type ActionDefinition,
  type ActionTable,
  type DocumentRight,
  type Identity,
  type MaybePromise,
  type Request,
  type Security,
  type Session,
  type Target,
  type User,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ANONYMOUS_ID } from './assertAccountId.js';
import { Audit } from './Audit.js';
import { SECURITY_CONFIG, type SecurityConfig } from './config.js';
import { FirstAdminMarker } from './FirstAdminMarker.js';
import { ApiKeys, type ApiKeyState } from './keys/ApiKeys.js';
import { actsAsAdministrator } from './rights/limitUser.js';
import { isApiKey } from './keys/parseApiKey.js';
import { ADMINISTRATOR_ACTIONS } from './rights/ADMINISTRATOR_ACTIONS.js';
import { isOneOf, type ActionNames } from './rights/ActionNames.js';
import { REFUSED_TO_API_KEYS } from './rights/REFUSED_TO_API_KEYS.js';
import { RightDecider } from './rights/RightDecider.js';
import type { CallerVerdict } from './rights/Rights.js';
import { SecurityCaches } from './SecurityCaches.js';
import { RIGHTS_WITHOUT_ACTION } from './rights/RIGHTS_WITHOUT_ACTION.js';
import { Tokens, type TokenState } from './tokens/Tokens.js';

/**
 * Reserved to administrators even while the server is open: the configuration reveals which secrets are set, though
 * not their values.
 */
const SECRET_ACTIONS: ActionNames = { server: ['getConfig'] };
/** Allowed to anonymous requests before a first administrator if the server isn't open. */
const SETUP_ACTIONS: ActionNames = { server: ['healthCheck', 'adminExists'] };
/** Allowed to everyone before a first administrator, also while the storage can't say whether there is one. */
const ALWAYS_BEFORE_ADMIN: ActionNames = { server: ['healthCheck'] };

/** The parts of an action's definition that rights depend on. */
type ActionFacts = Pick<ActionDefinition, 'effect' | 'subject' | 'sentDocument' | 'access'>;

/** Security of a server: tokens, users, profiles and roles. */
@scoped(Scope.ContainerScoped)
export class MillraceSecurity implements Security {
  constructor(
    @inject(Tokens) private readonly tokens: Tokens,
    @inject(RightDecider) private readonly decider: RightDecider,
    @inject(ApiKeys) private readonly apiKeys: ApiKeys,
    @inject(FirstAdminMarker) private readonly firstAdmin: FirstAdminMarker,
    @inject(ACTIONS) private readonly actions: ActionTable,
    @inject(Audit) private readonly audit: Audit,
    @inject(SecurityCaches) private readonly caches: SecurityCaches,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  /**
   * @throws auth.invalid_token, auth.token_expired (401), security.api_key_wrong_address (403), auth.too_many_attempts
   *   (429)
   */
  authenticate(request: Request): MaybePromise<Identity> {
    this.caches.refreshIfOutOfTouch();
    const { token, connection } = request;
    if (token === null) return { user: connection.user ?? ANONYMOUS, session: null };
    const state = isApiKey(token) ? this.apiKeys.use(token, connection.remoteAddress) : this.tokens.check(token);
    return isThenable(state) ? state.then(toIdentity) : toIdentity(state);
  }

  /** @throws auth.login_needed (401), security.forbidden (403) */
  authorize(request: Request, action: ActionDefinition): MaybePromise<void> {
    return this.enforce(request, request.target, action);
  }

  /** @throws auth.login_needed (401), security.forbidden (403) */
  authorizeTarget(request: Request, target: Target): MaybePromise<void> {
    return this.enforce(request, target, this.factsOf(target));
  }

  isAllowed(request: Request, target: Target): MaybePromise<boolean> {
    return this.isGranted(request, target, this.factsOf(target));
  }

  documentRight(request: Request, target: Target): MaybePromise<boolean | DocumentRight> {
    const facts = this.factsOf(target);
    return andThen(this.decide(request, target, facts), (verdict) =>
      this.decider.documentRight(verdict, { request, target, facts }),
    );
  }

  userOf(session: Session): MaybePromise<User | null> {
    if (session.apiKeyId !== undefined) return this.apiKeys.userOf(session);
    const record = this.tokens.ownerOf(session);
    return isThenable(record) ? record.then((found) => found?.user ?? null) : (record?.user ?? null);
  }

  adminExists(): MaybePromise<boolean> {
    return this.firstAdmin.exists();
  }

  isOpen(): MaybePromise<boolean> {
    if (!this.config.openUntilFirstAdmin) return false;
    return andThen(this.firstAdmin.exists(), (exists) => !exists);
  }

  private enforce(request: Request, target: Target, facts: ActionFacts): MaybePromise<void> {
    const { controller, action } = target;
    if (request.session?.apiKeyId !== undefined && isOneOf(REFUSED_TO_API_KEYS, controller, action)) {
      this.audit.denied(request, target);
      throw securityErrors.api_key_not_accepted({ what: `${controller}.${action}` });
    }
    const allowed = this.isGranted(request, target, facts);
    if (allowed === true) return undefined;
    if (allowed === false) throw this.denied(request, target);
    return allowed.then((is) => {
      if (!is) throw this.denied(request, target);
    });
  }

  private denied(request: Request, target: Target): MillraceError {
    this.audit.denied(request, target);
    const { controller, action, index, collection } = target;
    if (isAnonymous(request)) return authErrors.login_needed({ controller, action });
    const place = [index, collection].filter((name) => name !== null).join('/');
    const where = place === '' ? '' : ` in "${place}"`;
    return securityErrors.forbidden({ userId: request.user._id, controller, action, where });
  }

  private isGranted(request: Request, target: Target, facts: ActionFacts): MaybePromise<boolean> {
    return andThen(this.decide(request, target, facts), (verdict) =>
      this.decider.isAllowed(verdict, { request, target, facts }),
    );
  }

  private decide(request: Request, target: Target, facts: ActionFacts): MaybePromise<CallerVerdict> {
    const { controller, action } = target;
    if (controller === 'security' && action === 'createFirstAdmin') return true;
    const verdict = andThen(this.isOpen(), (is) => this.decideCaller(request, target, facts, is));
    const mayFail = isThenable(verdict) && !this.firstAdmin.isKnown;
    if (!mayFail || !isOneOf(ALWAYS_BEFORE_ADMIN, controller, action)) return verdict;
    return verdict.catch((error: unknown) => {
      if (isError(error, storageErrors.unavailable)) return true;
      throw error;
    });
  }

  private decideCaller(
    request: Request,
    target: Target,
    facts: ActionFacts,
    isOpen: boolean,
  ): MaybePromise<CallerVerdict> {
    const { controller, action } = target;
    // With or without a token: a caller allowed less with a token would simply omit it.
    if (isOpen && !isOneOf(SECRET_ACTIONS, controller, action)) return true;
    if (isOneOf(ADMINISTRATOR_ACTIONS, controller, action) && !actsAsAdministrator(request.user)) {
      return false;
    }
    // Users may always log out (SEC-31).
    if (controller === 'auth' && action === 'logout' && request.session !== null) return true;
    if (!isAnonymous(request)) return this.decider.verdictOn(request.user, target, facts);
    const exists = this.firstAdmin.exists();
    if (isThenable(exists)) {
      return exists.then((is) => this.decideAnonymous(request, target, facts, is));
    }
    return this.decideAnonymous(request, target, facts, exists);
  }

  private decideAnonymous(
    request: Request,
    target: Target,
    facts: ActionFacts,
    adminExists: boolean,
  ): MaybePromise<CallerVerdict> {
    const { controller, action } = target;
    const { openUntilFirstAdmin } = this.config;
    // A server that isn't open before its first administrator isn't meant for strangers afterwards either.
    const openSignUp = this.config.openSignUp ?? openUntilFirstAdmin;
    if (!adminExists) return isOneOf(SETUP_ACTIONS, controller, action);
    const isSignUp = controller === 'security' && action === 'createRestrictedUser';
    if (isSignUp && !openSignUp) return false;
    return this.decider.verdictOn(request.user, target, facts);
  }

  private factsOf({ controller, action }: Target): ActionFacts {
    if (isOneOf(RIGHTS_WITHOUT_ACTION, controller, action)) return {};
    return this.actions.find(controller, action);
  }
}

function toIdentity(state: TokenState | ApiKeyState): Identity {
  if (state.valid) return { user: 'record' in state ? state.record.user : state.user, session: state.session };
  if (state.fault === 'expired') throw authErrors.token_expired({});
  throw authErrors.invalid_token({ reason: state.fault });
}

function isAnonymous({ user, session }: Request): boolean {
  return session === null && user._id === ANONYMOUS_ID;
}
