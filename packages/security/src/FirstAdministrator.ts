import { randomBytes, timingSafeEqual, createHash } from 'node:crypto';
import {
  authErrors,
  KeyedQueue,
  LOGGER,
  NODE_LINK,
  securityErrors,
  type JsonObject,
  type Lifecycle,
  type Logger,
  type NodeLink,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from './Actor.js';
import { BuiltInAccounts } from './BuiltInAccounts.js';
import { SECURITY_CONFIG, type SecurityConfig } from './config.js';
import { FirstAdminMarker } from './FirstAdminMarker.js';
import { LoginLimits } from './limits/LoginLimits.js';
import { MadeWhileOpen, toMadeWhileOpen } from './MadeWhileOpen.js';
import { UserAccounts } from './accounts/UserAccounts.js';
import type { UserRecord } from './users/UserRecord.js';

const SETUP_TOKEN_BYTES = 24;
const WARN_EVERY_MS = 3_600_000;

/** Arguments of createFirstAdmin. */
export interface FirstAdminRequest {
  readonly id: string | undefined;
  /** Password and free properties. */
  readonly body: JsonObject;
  /** Whether to restore the roles and profiles `default` and `anonymous` to their built-in form. */
  readonly reset: boolean;
  readonly setupToken: string | undefined;
  /** Whether to remove the existing users, profiles and roles. Also restores the built-in ones, `admin` included. */
  readonly removeMadeWhileOpen: boolean;
}

/** The created administrator. */
export interface FirstAdminOutcome {
  readonly record: UserRecord;
  /** `{users, profiles, roles}`: the accounts that existed before, removed or not. */
  readonly madeWhileOpen: JsonObject;
}

/** Creates the first administrator, once (SEC-5). */
@scoped(Scope.ContainerScoped)
export class FirstAdministrator implements Lifecycle {
  private readonly setupToken: string;
  private readonly queue = new KeyedQueue();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
    @inject(FirstAdminMarker) private readonly marker: FirstAdminMarker,
    @inject(BuiltInAccounts) private readonly builtIn: BuiltInAccounts,
    @inject(UserAccounts) private readonly accounts: UserAccounts,
    @inject(MadeWhileOpen) private readonly madeWhileOpen: MadeWhileOpen,
    @inject(LoginLimits) private readonly limits: LoginLimits,
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(LOGGER) private readonly log: Logger,
  ) {
    this.setupToken =
      config.setupToken === '' ? randomBytes(SETUP_TOKEN_BYTES).toString('base64url') : config.setupToken;
  }

  /** Warns until there is an administrator. */
  async start(): Promise<void> {
    await this.marker.start();
    // The operator knows a configured token.
    await this.warn(this.config.setupToken === '' ? { setupToken: this.setupToken } : {});
    this.timer = setInterval(() => void this.warn({}), WARN_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
  }

  /**
   * @throws security.admin_exists (412), auth.wrong_setup_token (401), auth.too_many_setup_attempts (429), the errors
   *   of UserAccounts.createAdministrator
   */
  async create(request: FirstAdminRequest, actor: Actor): Promise<FirstAdminOutcome> {
    if (await this.marker.isInStore()) throw securityErrors.admin_exists({});
    if (!this.config.openUntilFirstAdmin) await this.checkSetupToken(request.setupToken, actor);
    const record = await this.claimAndCreate(request, actor);
    // Listed after the creation: the server is closed now, so strangers can't add to the list.
    const made = await this.madeWhileOpen.list(record.id);
    if (request.removeMadeWhileOpen) await this.madeWhileOpen.remove(made, actor);
    return { record, madeWhileOpen: toMadeWhileOpen(made) };
  }

  private claimAndCreate(request: FirstAdminRequest, actor: Actor): Promise<UserRecord> {
    return this.queue.run('first', async () => {
      if (!(await this.marker.claim())) throw securityErrors.admin_exists({});
      try {
        const { id, body, reset } = request;
        const record = await this.accounts.createAdministrator(id, body, actor);
        if (reset) await this.builtIn.reset(actor);
        return record;
      } finally {
        if (!(await this.marker.isInStore())) await this.marker.release();
      }
    });
  }

  /** @param token the generated token of a server that isn't open: logged at start only */
  private async warn(token: { readonly setupToken?: string }): Promise<void> {
    try {
      if (await this.marker.exists()) return clearInterval(this.timer);
    } catch (error) {
      return this.log.warn({ err: error }, 'it is unknown whether there is an administrator');
    }
    if (this.config.openUntilFirstAdmin) {
      const message =
        'there is no administrator yet, so this server is open: everyone who reaches it may do nearly everything. Lock it down with POST /_createFirstAdmin and the body {"_id": "admin", "password": "..."}';
      return this.log.warn({}, message);
    }
    const message =
      'there is no administrator yet: create one with POST /_createFirstAdmin and the body {"_id": "admin", "password": "...", "setupToken": "..."}';
    this.log.warn(token, message);
  }

  private async checkSetupToken(given: string | undefined, actor: Actor): Promise<void> {
    const attempt = await this.limits.beginSetup(actor.remoteAddress);
    try {
      if (this.isSetupToken(given)) return;
      // A request without a token isn't a guess.
      if (given !== undefined) attempt.failed();
      // The next guess may reach another node.
      await this.link.settled();
      throw authErrors.wrong_setup_token({});
    } finally {
      attempt.ended();
    }
  }

  private isSetupToken(given: string | undefined): boolean {
    // Digests have equal lengths, so the comparison doesn't reveal the token's length.
    const digest = (text: string) => createHash('sha256').update(text).digest();
    return given !== undefined && timingSafeEqual(digest(given), digest(this.setupToken));
  }
}
