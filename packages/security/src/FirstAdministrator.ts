import { randomBytes, timingSafeEqual, createHash } from 'node:crypto';
import { authErrors, KeyedQueue, NODE_LINK, securityErrors, type JsonObject, type NodeLink } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from './Actor.js';
import { BuiltInAccounts } from './BuiltInAccounts.js';
import { SECURITY_CONFIG, type SecurityConfig } from './config.js';
import { FirstAdminMarker } from './FirstAdminMarker.js';
import { LoginLimits } from './limits/LoginLimits.js';
import { MadeWhileOpen, toMadeWhileOpen } from './MadeWhileOpen.js';
import { UserAccounts } from './users/UserAccounts.js';
import type { UserRecord } from './users/UserRecord.js';

const SETUP_TOKEN_BYTES = 24;

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
export class FirstAdministrator {
  /** The generated token, for the server's log; null if a token is configured, since the operator knows that one. */
  readonly generatedSetupToken: string | null;
  private readonly setupToken: string;
  private readonly queue = new KeyedQueue();

  constructor(
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
    @inject(FirstAdminMarker) private readonly marker: FirstAdminMarker,
    @inject(BuiltInAccounts) private readonly builtIn: BuiltInAccounts,
    @inject(UserAccounts) private readonly accounts: UserAccounts,
    @inject(MadeWhileOpen) private readonly madeWhileOpen: MadeWhileOpen,
    @inject(LoginLimits) private readonly limits: LoginLimits,
    @inject(NODE_LINK) private readonly link: NodeLink,
  ) {
    const random = randomBytes(SETUP_TOKEN_BYTES).toString('base64url');
    this.generatedSetupToken = config.setupToken === '' ? random : null;
    this.setupToken = this.generatedSetupToken ?? config.setupToken;
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
