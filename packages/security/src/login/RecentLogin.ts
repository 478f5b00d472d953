import { authErrors, NODE_LINK, STRATEGIES, type AuthStrategy, type NodeLink, type Request } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Audit } from '../Audit.js';
import { LoginLimits } from '../limits/LoginLimits.js';
import { Tokens } from '../tokens/Tokens.js';
import { CredentialStore } from '../users/CredentialStore.js';
import { UserStore } from '../users/UserStore.js';

const RECENT_SECONDS = 300;

/**
 * Confirms that the user is present before credentials change, so that a stolen token alone can't take over an
 * account (OWASP ASVS 6.2.3).
 */
@scoped(Scope.ContainerScoped)
export class RecentLogin {
  constructor(
    @inject(STRATEGIES) private readonly strategies: ReadonlyMap<string, AuthStrategy>,
    @inject(UserStore) private readonly users: UserStore,
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(Tokens) private readonly tokens: Tokens,
    @inject(LoginLimits) private readonly limits: LoginLimits,
    @inject(Audit) private readonly audit: Audit,
    @inject(NODE_LINK) private readonly link: NodeLink,
  ) {}

  /**
   * Accepts the correct current password, or no password if the token comes from a login of the last 5 minutes. A
   * program that acts for a user (no token) is trusted.
   * @throws auth.recent_login_needed, auth.wrong_current_password (403), auth.too_many_attempts, auth.too_many_logins
   *   (429)
   */
  async require(request: Request, currentPassword: string | undefined): Promise<void> {
    const { session } = request;
    if (currentPassword !== undefined) return this.check(request, currentPassword);
    if (session === null || this.tokens.isLoginWithin(session, RECENT_SECONDS)) return;
    throw authErrors.recent_login_needed({});
  }

  /** A wrong password counts as a failed login; otherwise a stolen token could be used to guess passwords. */
  private async check({ user, connection, signal }: Request, password: string): Promise<void> {
    const kept = await this.passwordOf(user._id);
    if (kept === null) throw authErrors.recent_login_needed({});
    const attempt = await this.limits.beginLogin(connection.remoteAddress, user._id);
    try {
      const given = { password };
      if ((await kept.strategy.credentials?.matches?.(given, kept.stored, signal)) === true) return;
      attempt.failed();
      // The next guess may reach another node.
      await this.link.settled();
      const event = { strategy: kept.strategy.name, account: user._id, connection };
      this.audit.loginFailed({ ...event, reason: 'wrong_credentials' });
      throw authErrors.wrong_current_password({});
    } finally {
      attempt.ended();
    }
  }

  /** The strategy that stores a password for the user and can verify it; null for users without one. */
  private async passwordOf(userId: string) {
    const record = await this.users.find(userId);
    if (record === null) return null;
    for (const strategy of this.strategies.values()) {
      const { credentials } = strategy;
      if (credentials?.userProperty !== 'password' || credentials.matches === undefined) continue;
      const found = await this.credentials.read(strategy.name, record.suid);
      if (found?.userId === userId) return { strategy, stored: found.stored };
    }
    return null;
  }
}
