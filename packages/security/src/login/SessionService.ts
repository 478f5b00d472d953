import { authErrors, type Connection, type JsonObject, type Request, type Session } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { actorOf } from '../Actor.js';
import { Audit } from '../Audit.js';
import { ApiKeys } from '../keys/ApiKeys.js';
import { isApiKey } from '../keys/parseApiKey.js';
import { LoginLimits } from '../limits/LoginLimits.js';
import { Revocations } from '../tokens/Revocations.js';
import { Tokens } from '../tokens/Tokens.js';
import { UserWriter } from '../accounts/UserWriter.js';
import { UserStore } from '../users/UserStore.js';

/** Operations on the caller's token. */
@scoped(Scope.ContainerScoped)
export class SessionService {
  constructor(
    @inject(Tokens) private readonly tokens: Tokens,
    @inject(ApiKeys) private readonly apiKeys: ApiKeys,
    @inject(Revocations) private readonly revocations: Revocations,
    @inject(UserStore) private readonly users: UserStore,
    @inject(UserWriter) private readonly writer: UserWriter,
    @inject(Audit) private readonly audit: Audit,
    @inject(LoginLimits) private readonly limits: LoginLimits,
  ) {}

  /**
   * checkToken: never rejects for a token.
   * @throws auth.too_many_attempts (429) for an API key, after many unknown ones from the address
   */
  async check(token: string, { remoteAddress }: Connection): Promise<JsonObject> {
    const state = await (isApiKey(token) ? this.apiKeys.check(token, remoteAddress) : this.tokens.check(token));
    if (!state.valid) return { valid: false, state: state.fault };
    const { expiresAtMs } = state.session;
    return { valid: true, expiresAt: expiresAtMs === Infinity ? null : expiresAtMs };
  }

  /**
   * Revokes the request's token, durably, before the response. An API key stays as it is.
   * @param isEverywhere revokes all tokens of the user
   * @throws auth.login_needed (401) without a token
   */
  async logout(request: Request, isEverywhere: boolean): Promise<void> {
    const session = this.sessionOf(request);
    if (session.apiKeyId !== undefined) return;
    await this.revoke(session, request);
    if (isEverywhere) await this.writer.revokeTokens(session.userId, actorOf(request));
    this.audit.loggedOut({ session, connection: request.connection });
  }

  /**
   * Exchanges the request's token for a new one. Of two concurrent exchanges of one token, one succeeds. The new
   * token continues the session, so it expires at the latest `security.jwt.maxSessionAge` after the login. Each
   * exchange leaves a revocation for the remaining life of the previous token, so exchanges are limited per user.
   * @throws auth.login_needed (401) without a token, auth.invalid_token, auth.session_too_old (401),
   *   api.invalid_argument (400), auth.too_many_logins (429)
   */
  async refresh(request: Request, expiresIn: unknown): Promise<JsonObject> {
    const previous = this.sessionOf(request);
    const lifeSeconds = this.tokens.lifeSeconds(expiresIn);
    const loggedInAt = this.tokens.beginOf(previous);
    await this.users.get(previous.userId);
    this.limits.takeRenewal(previous.userId);
    if ((await this.revocations.has(previous)) || !(await this.revoke(previous, request))) {
      throw authErrors.invalid_token({ reason: 'revoked' });
    }
    // Again: the revocation may have ended all tokens of the user.
    const record = await this.users.get(previous.userId);
    const { jwt, session } = await this.tokens.issue(record, lifeSeconds, loggedInAt);
    this.audit.tokenRefreshed({ previous, session, connection: request.connection });
    return { _id: record.id, jwt, expiresAt: session.expiresAtMs };
  }

  /** @returns false if it was already revoked in the meantime */
  private async revoke(session: Session, request: Request): Promise<boolean> {
    const isNew = await this.revocations.add(session);
    if (this.revocations.isFullOf(session.userId)) await this.writer.revokeTokens(session.userId, actorOf(request));
    return isNew;
  }

  private sessionOf({ session, controller, action }: Request): Session {
    if (session === null) throw authErrors.login_needed({ controller, action });
    return session;
  }
}
