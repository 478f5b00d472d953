import { authErrors, type JsonObject, type Request, type Session } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Audit } from '../Audit.js';
import { LoginLimits } from '../limits/LoginLimits.js';
import { Revocations } from '../tokens/Revocations.js';
import { Tokens } from '../tokens/Tokens.js';
import { UserStore } from '../users/UserStore.js';

/** What the bearer of a token does with it. */
@scoped(Scope.ContainerScoped)
export class SessionService {
  constructor(
    @inject(Tokens) private readonly tokens: Tokens,
    @inject(Revocations) private readonly revocations: Revocations,
    @inject(UserStore) private readonly users: UserStore,
    @inject(Audit) private readonly audit: Audit,
    @inject(LoginLimits) private readonly limits: LoginLimits,
  ) {}

  /** checkToken: never fails for a text. */
  async check(token: string): Promise<JsonObject> {
    const state = await this.tokens.check(token);
    if (state.valid) return { valid: true, expiresAt: state.session.expiresAtMs };
    return { valid: false, state: state.fault };
  }

  /** Revokes the request's token, durably, before it is answered. @throws auth.login_needed (401) without one */
  async logout(request: Request): Promise<void> {
    const session = this.sessionOf(request);
    await this.revocations.add(session);
    this.audit.loggedOut({ session, connection: request.connection });
  }

  /**
   * A new token in exchange for the request's. Of two exchanges of one token at once, one succeeds. It continues the
   * session, so it expires at the latest `security.jwt.maxSessionAge` after the login.
   * Each leaves a revocation for as long as the previous token would have lived, so they are limited per user.
   * @throws auth.login_needed (401) without a token, auth.invalid_token, auth.session_too_old (401), api.invalid_argument
   * (400), auth.too_many_logins (429)
   */
  async refresh(request: Request, expiresIn: unknown): Promise<JsonObject> {
    const previous = this.sessionOf(request);
    const lifeSeconds = this.tokens.lifeSeconds(expiresIn);
    const loggedInAt = this.tokens.beginOf(previous);
    const record = await this.users.get(previous.userId);
    this.limits.takeRenewal(previous.userId);
    if ((await this.revocations.has(previous.tokenId)) || !(await this.revocations.add(previous))) {
      throw authErrors.invalid_token({ reason: 'revoked' });
    }
    const { jwt, session } = await this.tokens.issue(record, lifeSeconds, loggedInAt);
    this.audit.tokenRefreshed({ previous, session, connection: request.connection });
    return { _id: record.id, jwt, expiresAt: session.expiresAtMs };
  }

  private sessionOf({ session, controller, action }: Request): Session {
    if (session === null) throw authErrors.login_needed({ controller, action });
    return session;
  }
}
