import {
  apiErrors,
  authErrors,
  isThenable,
  type JsonObject,
  type Request,
  type StrategyCredentials,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { actorOf } from '../Actor.js';
import { CredentialStore } from '../users/CredentialStore.js';
import { SecretProperties } from '../accounts/SecretProperties.js';
import { UserWriter } from '../accounts/UserWriter.js';
import type { UserRecord } from '../users/UserRecord.js';
import { UserStore } from '../users/UserStore.js';
import { LoginService } from './LoginService.js';
import { RecentLogin } from './RecentLogin.js';
import { takeCurrentPassword } from './takeCurrentPassword.js';

/**
 * Manages the caller's credentials, by strategy (SEC-46). Each change needs `currentPassword` in the body or a recent
 * login: auth.recent_login_needed, auth.wrong_current_password (403).
 */
@scoped(Scope.ContainerScoped)
export class OwnCredentials {
  constructor(
    @inject(LoginService) private readonly logins: LoginService,
    @inject(UserStore) private readonly users: UserStore,
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(UserWriter) private readonly writer: UserWriter,
    @inject(SecretProperties) private readonly secrets: SecretProperties,
    @inject(RecentLogin) private readonly recentLogin: RecentLogin,
  ) {}

  /** @throws auth.credentials_exist (409), errors of the strategy for an invalid body (400) */
  async create(request: Request, strategy: string, sent: JsonObject): Promise<void> {
    const kind = this.kindOf(strategy);
    const record = await this.userOf(request);
    if (await this.hasAny(record, strategy)) throw exists(record.id, strategy);
    const body = await this.confirmed(request, sent);
    const actor = actorOf(request);
    const stored = await this.secrets.prepareFor(kind, body, record.id, actor);
    const credentials = new Map([[strategy, stored]]);
    await this.writer.change(record.id, { actor, credentials, keepsTokens: true });
  }

  /** Replaces them, and revokes the user's other tokens. @throws auth.no_credentials (404) */
  async update(request: Request, strategy: string, sent: JsonObject): Promise<void> {
    const kind = this.kindOf(strategy);
    const record = await this.userOf(request);
    if (!(await this.hasAny(record, strategy))) throw missing(record.id, strategy);
    const body = await this.confirmed(request, sent);
    const actor = actorOf(request);
    const stored = await this.secrets.prepareFor(kind, body, record.id, actor);
    await this.writer.change(record.id, { actor, credentials: new Map([[strategy, stored]]) });
  }

  /** Removes them, and revokes the user's other tokens. @throws auth.no_credentials (404) */
  async delete(request: Request, strategy: string, sent: JsonObject): Promise<void> {
    this.kindOf(strategy);
    const record = await this.userOf(request);
    if (!(await this.hasAny(record, strategy))) throw missing(record.id, strategy);
    await this.confirmed(request, sent);
    await this.writer.change(record.id, { actor: actorOf(request), credentials: new Map([[strategy, null]]) });
  }

  async has(request: Request, strategy: string): Promise<boolean> {
    this.kindOf(strategy);
    return this.hasAny(await this.userOf(request), strategy);
  }

  /** The body without the current password, after confirming the user's presence. */
  private async confirmed(request: Request, sent: JsonObject): Promise<JsonObject> {
    const { body, currentPassword } = takeCurrentPassword(sent);
    await this.recentLogin.require(request, currentPassword);
    return body;
  }

  private async hasAny({ id, suid }: UserRecord, strategy: string): Promise<boolean> {
    let found = this.credentials.read(strategy, suid);
    if (isThenable(found)) found = await found;
    return found?.userId === id;
  }

  private async userOf({ user, session, controller, action }: Request): Promise<UserRecord> {
    const record = session === null ? null : await this.users.find(user._id);
    if (record === null) throw authErrors.login_needed({ controller, action });
    return record;
  }

  /** @throws auth.unknown_strategy, api.invalid_argument (400) */
  private kindOf(name: string): StrategyCredentials {
    const { credentials } = this.logins.strategy(name);
    if (credentials !== undefined) return credentials;
    const expected = 'a strategy that keeps credentials';
    throw apiErrors.invalid_argument({ name: 'strategy', value: JSON.stringify(name), expected });
  }
}

function exists(userId: string, strategy: string) {
  return authErrors.credentials_exist({ userId, strategy });
}

function missing(userId: string, strategy: string) {
  return authErrors.no_credentials({ userId, strategy });
}
