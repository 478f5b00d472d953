import { CONFIG, NODE_LINK, SECURITY, SOLE_NODE } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { Audit } from './Audit.js';
import { BuiltInAccounts } from './BuiltInAccounts.js';
import { SECURITY_CONFIG, type SecurityConfig } from './config.js';
import { FirstAdministrator } from './FirstAdministrator.js';
import { FirstAdminMarker } from './FirstAdminMarker.js';
import { IdGenerator } from './IdGenerator.js';
import { LoginLimits } from './limits/LoginLimits.js';
import { ClientAddresses } from './login/ClientAddresses.js';
import { CurrentUser } from './login/CurrentUser.js';
import { LoginService } from './login/LoginService.js';
import { OwnCredentials } from './login/OwnCredentials.js';
import { RecentLogin } from './login/RecentLogin.js';
import { SessionService } from './login/SessionService.js';
import { MadeWhileOpen } from './MadeWhileOpen.js';
import { MillraceSecurity } from './MillraceSecurity.js';
import { ProfileCatalog } from './profiles/ProfileCatalog.js';
import { ProfileStore } from './profiles/ProfileStore.js';
import { RightsLists } from './RightsLists.js';
import { RightsTable } from './RightsTable.js';
import { RoleCatalog } from './roles/RoleCatalog.js';
import { RoleStore } from './roles/RoleStore.js';
import { SecurityCaches } from './SecurityCaches.js';
import { SecurityLifecycle } from './SecurityLifecycle.js';
import { SecuritySharing } from './SecuritySharing.js';
import { StoreFacts } from './StoreFacts.js';
import { StructureLock } from './store/StructureLock.js';
import { KeyVault } from './tokens/KeyVault.js';
import { Revocations } from './tokens/Revocations.js';
import { SigningKey } from './tokens/SigningKey.js';
import { Tokens } from './tokens/Tokens.js';
import { CredentialStore } from './users/CredentialStore.js';
import { SecretProperties } from './users/SecretProperties.js';
import { UserAccounts } from './users/UserAccounts.js';
import { UserCreation } from './users/UserCreation.js';
import { UserIdentities } from './users/UserIdentities.js';
import { UserMapping } from './users/UserMapping.js';
import { UserQueue } from './users/UserQueue.js';
import { UserStore } from './users/UserStore.js';

/**
 * Registers the security services in a server's container, one of each, and `MillraceSecurity` as `SECURITY` in place of
 * whatever stands there. Needs `STORAGE_ENGINE`, `CONFIG` (or `SECURITY_CONFIG`), `CLOCK`, `LOGGER`, `HOOKS`,
 * `STRATEGIES`, `ACTIONS` and `INTERNAL_INDEX` there, and takes a `SECRET_STORE` where there is one.
 */
export function registerSecurity(container: DependencyContainer): void {
  if (!container.isRegistered(SECURITY_CONFIG, true)) {
    const section = container.resolve(CONFIG).section<SecurityConfig>('security');
    container.registerInstance(SECURITY_CONFIG, section);
  }
  if (!container.isRegistered(NODE_LINK, true)) container.registerInstance(NODE_LINK, SOLE_NODE);
  const services = [
    Audit, BuiltInAccounts, ClientAddresses, CredentialStore, CurrentUser, FirstAdministrator, FirstAdminMarker, IdGenerator, KeyVault, LoginLimits,
    LoginService, MadeWhileOpen, MillraceSecurity, OwnCredentials, ProfileCatalog, ProfileStore, RecentLogin, Revocations, RightsLists, RightsTable, RoleCatalog,
    RoleStore, SecretProperties, SecurityCaches, SecurityLifecycle, SecuritySharing, SessionService, SigningKey, StoreFacts, StructureLock, Tokens,
    UserAccounts, UserCreation, UserIdentities, UserMapping, UserQueue, UserStore,
  ]; // prettier-ignore
  for (const service of services) container.registerSingleton(service as new () => object);
  container.register(SECURITY, { useFactory: (each) => each.resolve(MillraceSecurity) });
}
