import { LOGGER, type Lifecycle, type Logger } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Audit } from './Audit.js';
import { BuiltInAccounts } from './BuiltInAccounts.js';
import { SECURITY_CONFIG, type SecurityConfig } from './config.js';
import { FirstAdministrator } from './FirstAdministrator.js';
import { FirstAdminMarker } from './FirstAdminMarker.js';
import { ApiKeys } from './keys/ApiKeys.js';
import { ApiKeyStore } from './keys/ApiKeyStore.js';
import { ApiKeyUses } from './keys/ApiKeyUses.js';
import { ProfileStore } from './profiles/ProfileStore.js';
import { RoleStore } from './roles/RoleStore.js';
import { Revocations } from './tokens/Revocations.js';
import { SigningKey } from './tokens/SigningKey.js';
import { CredentialStore } from './users/CredentialStore.js';
import { UserStore } from './users/UserStore.js';

const WARN_EVERY_MS = 3_600_000;

/**
 * Starts the security of a server, after its storage engine: collections, built-in accounts, signing key,
 * revocations.
 */
@scoped(Scope.ContainerScoped)
export class SecurityLifecycle implements Lifecycle {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(ApiKeyStore) private readonly keyStore: ApiKeyStore,
    @inject(ApiKeyUses) private readonly keyUses: ApiKeyUses,
    @inject(ApiKeys) private readonly apiKeys: ApiKeys,
    @inject(BuiltInAccounts) private readonly builtIn: BuiltInAccounts,
    @inject(SigningKey) private readonly key: SigningKey,
    @inject(Revocations) private readonly revocations: Revocations,
    @inject(FirstAdminMarker) private readonly firstAdmin: FirstAdminMarker,
    @inject(FirstAdministrator) private readonly firstAdministrator: FirstAdministrator,
    @inject(Audit) private readonly audit: Audit,
    @inject(LOGGER) private readonly log: Logger,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  /** @throws core.invalid_config if the keys don't fit the algorithm, storage.unavailable */
  async start(): Promise<void> {
    const stores = [this.users, this.profiles, this.roles, this.credentials, this.keyStore, this.keyUses];
    await Promise.all(stores.map((store) => store.ensure()));
    const parts = [this.builtIn.ensure(), this.key.load(), this.revocations.start(), this.firstAdmin.start()];
    await Promise.all(parts);
    const { generatedSetupToken } = this.firstAdministrator;
    await this.warnUntilFirstAdmin(generatedSetupToken === null ? {} : { setupToken: generatedSetupToken });
    this.timer = setInterval(() => void this.warnUntilFirstAdmin({}), WARN_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.audit.stop();
    this.apiKeys.stop();
    await this.keyUses.stop();
    await this.revocations.stop();
  }

  /** @param token the generated token of a server that isn't open: logged at start only */
  private async warnUntilFirstAdmin(token: { readonly setupToken?: string }): Promise<void> {
    try {
      if (await this.firstAdmin.exists()) return clearInterval(this.timer);
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
}
