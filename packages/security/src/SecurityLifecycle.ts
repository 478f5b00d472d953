import type { Lifecycle } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { Audit } from './Audit.js';
import { BuiltInAccounts } from './BuiltInAccounts.js';
import { FirstAdministrator } from './FirstAdministrator.js';
import { ApiKeys } from './keys/ApiKeys.js';
import { Revocations } from './tokens/Revocations.js';
import { SigningKey } from './tokens/SigningKey.js';
import { CredentialStore } from './users/CredentialStore.js';
import { UserStore } from './users/UserStore.js';

/**
 * Starts the security of a server, after its storage engine: collections, built-in accounts, signing key,
 * revocations.
 */
@scoped(Scope.ContainerScoped)
export class SecurityLifecycle implements Lifecycle {
  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(CredentialStore) private readonly credentials: CredentialStore,
    @inject(ApiKeys) private readonly apiKeys: ApiKeys,
    @inject(BuiltInAccounts) private readonly builtIn: BuiltInAccounts,
    @inject(SigningKey) private readonly key: SigningKey,
    @inject(Revocations) private readonly revocations: Revocations,
    @inject(FirstAdministrator) private readonly firstAdministrator: FirstAdministrator,
    @inject(Audit) private readonly audit: Audit,
  ) {}

  /** @throws core.invalid_config if the keys don't fit the algorithm, storage.unavailable */
  async start(): Promise<void> {
    const stores = [this.users.ensure(), this.credentials.ensure(), this.apiKeys.start(), this.builtIn.ensure()];
    await Promise.all([...stores, this.key.load(), this.revocations.start()]);
    await this.firstAdministrator.start();
  }

  async stop(): Promise<void> {
    this.audit.stop();
    await Promise.all([this.firstAdministrator.stop(), this.apiKeys.stop(), this.revocations.stop()]);
  }
}
