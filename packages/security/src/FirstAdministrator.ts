import { randomBytes, timingSafeEqual, createHash } from 'node:crypto';
import { authErrors, type JsonObject, KeyedQueue, securityErrors } from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';
import type { Actor } from './Actor.js';
import { BuiltInAccounts } from './BuiltInAccounts.js';
import { SECURITY_CONFIG, type SecurityConfig } from './config.js';
import { FirstAdminMarker } from './FirstAdminMarker.js';
import { UserCreation } from './users/UserCreation.js';
import type { UserRecord } from './users/UserRecord.js';

const SETUP_TOKEN_BYTES = 24;

/** What createFirstAdmin was asked for. */
export interface FirstAdminRequest {
  readonly id: string | undefined;
  /** Password and free properties. */
  readonly body: JsonObject;
  /** Restore roles and profiles `default` and `anonymous` to their built-in form? */
  readonly reset: boolean;
  readonly setupToken: string | undefined;
}

/** Makes the first administrator, once (decisions.md section 7, Out of the box). */
@injectable()
export class FirstAdministrator {
  /** What `body.setupToken` must be where the server isn't open: for the log of this server alone. */
  readonly setupToken: string;
  private readonly queue = new KeyedQueue();

  constructor(
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
    @inject(FirstAdminMarker) private readonly marker: FirstAdminMarker,
    @inject(BuiltInAccounts) private readonly builtIn: BuiltInAccounts,
    @inject(UserCreation) private readonly creation: UserCreation,
  ) {
    const random = randomBytes(SETUP_TOKEN_BYTES).toString('base64url');
    this.setupToken = config.setupToken === '' ? random : config.setupToken;
  }

  /**
   * @throws security.admin_exists (412), auth.wrong_setup_token (401), what UserCreation.createAdministrator throws
   */
  async create(request: FirstAdminRequest, actor: Actor): Promise<UserRecord> {
    if (await this.marker.isInStore()) throw securityErrors.admin_exists({});
    if (!this.config.openUntilFirstAdmin && !this.isSetupToken(request.setupToken)) {
      throw authErrors.wrong_setup_token({});
    }
    return this.queue.run('first', async () => {
      if (!(await this.marker.claim())) throw securityErrors.admin_exists({});
      try {
        const { id, body, reset } = request;
        const record = await this.creation.createAdministrator(id, body, actor);
        if (reset) await this.builtIn.reset(actor);
        return record;
      } finally {
        if (!(await this.marker.isInStore())) await this.marker.release();
      }
    });
  }

  private isSetupToken(given: string | undefined): boolean {
    // Digests have one length, so that the comparison tells nothing of the token's.
    const digest = (text: string) => createHash('sha256').update(text).digest();
    return given !== undefined && timingSafeEqual(digest(given), digest(this.setupToken));
  }
}
