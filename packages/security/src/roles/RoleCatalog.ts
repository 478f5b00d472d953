import { ACTIONS, LOGGER, securityErrors, type ActionTable, type Logger } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { Audit } from '../Audit.js';
import { assertRolesWithinKey } from '../keys/assertWithinKey.js';
import { ProfileStore } from '../profiles/ProfileStore.js';
import type { Role } from '../rights/Role.js';
import { RightsTable } from '../RightsTable.js';
import { RecordCatalog } from '../store/RecordCatalog.js';
import { StructureLock } from '../store/StructureLock.js';
import { RoleStore } from './RoleStore.js';
import { unknownNames } from './unknownNames.js';

/** Roles with their rules: one that a profile contains can't be deleted. */
@scoped(Scope.ContainerScoped)
export class RoleCatalog extends RecordCatalog<Role> {
  constructor(
    @inject(RoleStore) store: RoleStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RightsTable) rights: RightsTable,
    @inject(StructureLock) lock: StructureLock,
    @inject(Audit) audit: Audit,
    @inject(ACTIONS) private readonly actions: ActionTable,
    @inject(LOGGER) log: Logger,
  ) {
    super(store, { rights, lock, audit, log });
  }

  protected override assertWithinKey(_: Role, actor: Actor): void {
    assertRolesWithinKey(actor);
  }

  protected override warningsOf(role: Role): readonly string[] {
    return unknownNames(role, this.actions);
  }

  protected override async assertUnused(id: string): Promise<void> {
    const profileCount = await this.profiles.countWithRole(id);
    if (profileCount > 0) throw securityErrors.role_in_use({ roleId: id, profileCount });
  }
}
