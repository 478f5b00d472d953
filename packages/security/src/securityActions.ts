import type { ActionDefinition } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { apiKeyActions } from './actions/apiKeyActions.js';
import { authActions } from './actions/authActions.js';
import { explainAction } from './actions/explainAction.js';
import { profileActions } from './actions/profileActions.js';
import { roleActions } from './actions/roleActions.js';
import { userActions } from './actions/userActions.js';
import { FirstAdministrator } from './FirstAdministrator.js';
import { ApiKeyCatalog } from './keys/ApiKeyCatalog.js';
import { LoginLimits } from './limits/LoginLimits.js';
import { CurrentUser } from './login/CurrentUser.js';
import { LoginService } from './login/LoginService.js';
import { OwnCredentials } from './login/OwnCredentials.js';
import { RecentLogin } from './login/RecentLogin.js';
import { SessionService } from './login/SessionService.js';
import { MillraceSecurity } from './MillraceSecurity.js';
import { ProfileCatalog } from './profiles/ProfileCatalog.js';
import { ProfileStore } from './profiles/ProfileStore.js';
import { RightsExplanation } from './RightsExplanation.js';
import { RightsLists } from './RightsLists.js';
import { RoleCatalog } from './roles/RoleCatalog.js';
import { RoleStore } from './roles/RoleStore.js';
import { UserAccounts } from './users/UserAccounts.js';
import { UserMapping } from './users/UserMapping.js';
import { UserStore } from './users/UserStore.js';
import { UserWriter } from './users/UserWriter.js';

/** The actions of the controllers auth and security, using the services that `registerSecurity` registered. */
export function securityActions(container: DependencyContainer): readonly ActionDefinition[] {
  const accounts = container.resolve(UserAccounts);
  return [
    ...authActions({
      accounts,
      logins: container.resolve(LoginService),
      sessions: container.resolve(SessionService),
      current: container.resolve(CurrentUser),
      credentials: container.resolve(OwnCredentials),
      recentLogin: container.resolve(RecentLogin),
    }),
    ...apiKeyActions({
      keys: container.resolve(ApiKeyCatalog),
      security: container.resolve(MillraceSecurity),
      recentLogin: container.resolve(RecentLogin),
    }),
    ...roleActions(container.resolve(RoleCatalog), container.resolve(RoleStore)),
    ...profileActions(
      container.resolve(ProfileCatalog),
      container.resolve(ProfileStore),
      container.resolve(RightsLists),
    ),
    ...userActions({
      accounts,
      writer: container.resolve(UserWriter),
      rights: container.resolve(RightsLists),
      store: container.resolve(UserStore),
      mapping: container.resolve(UserMapping),
      limits: container.resolve(LoginLimits),
      firstAdministrator: container.resolve(FirstAdministrator),
    }),
    explainAction(container.resolve(RightsExplanation)),
  ];
}
