import type { ActionDefinition } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import { apiKeyActions } from './actions/apiKeyActions.js';
import { authActions } from './actions/authActions.js';
import { explainAction } from './actions/explainAction.js';
import { profileActions } from './actions/profileActions.js';
import { roleActions } from './actions/roleActions.js';
import { userActions } from './actions/userActions.js';
import { DocumentPreview } from './DocumentPreview.js';
import { ProfileCatalog } from './roles/ProfileCatalog.js';
import { ProfileStore } from './roles/ProfileStore.js';
import { RightsExplanation } from './RightsExplanation.js';
import { RightsLists } from './RightsLists.js';
import { RoleCatalog } from './roles/RoleCatalog.js';
import { RoleStore } from './roles/RoleStore.js';

/** The actions of the controllers auth and security, using the services that `registerSecurity` registered. */
export function securityActions(container: DependencyContainer): readonly ActionDefinition[] {
  return [
    ...authActions(container),
    ...apiKeyActions(container),
    ...roleActions(container.resolve(RoleCatalog), container.resolve(RoleStore)),
    ...profileActions(
      container.resolve(ProfileCatalog),
      container.resolve(ProfileStore),
      container.resolve(RightsLists),
    ),
    ...userActions(container),
    explainAction(container.resolve(RightsExplanation), container.resolve(DocumentPreview)),
  ];
}
