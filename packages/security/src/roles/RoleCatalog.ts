import {
  ACTIONS,
  KeyedQueue,
  LOGGER,
  retryOnConflict,
  securityErrors,
  type ActionTable,
  type JsonObject,
  type Logger,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { Audit } from '../Audit.js';
import { ProfileStore } from '../profiles/ProfileStore.js';
import { RightsTable } from '../RightsTable.js';
import { StructureLock } from '../store/StructureLock.js';
import { BUILT_IN_IDS } from './BUILT_IN_ROLES.js';
import { RoleStore, type StoredRole } from './RoleStore.js';
import { unknownNames } from './unknownNames.js';

/** Roles with their rules: which profiles refer to them, and what a change entails. */
@scoped(Scope.ContainerScoped)
export class RoleCatalog {
  private readonly queue = new KeyedQueue();

  constructor(
    @inject(RoleStore) private readonly store: RoleStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RightsTable) private readonly rights: RightsTable,
    @inject(StructureLock) private readonly lock: StructureLock,
    @inject(Audit) private readonly audit: Audit,
    @inject(ACTIONS) private readonly actions: ActionTable,
    @inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws security.invalid_role, security.invalid_id (400), security.role_exists (409) */
  create(id: string, body: JsonObject, actor: Actor): Promise<StoredRole> {
    return this.change(id, actor, () => this.store.create(id, body));
  }

  createOrReplace(id: string, body: JsonObject, actor: Actor): Promise<StoredRole> {
    return this.change(id, actor, () => this.store.createOrReplace(id, body));
  }

  /** Deep merge. @throws security.role_not_found (404), security.invalid_role (400) */
  update(id: string, body: JsonObject, actor: Actor): Promise<StoredRole> {
    return this.change(id, actor, () => retryOnConflict(() => this.store.update(id, body)));
  }

  /** @throws security.built_in, security.role_in_use (412), security.role_not_found (404) */
  async delete(id: string, actor: Actor): Promise<void> {
    if (BUILT_IN_IDS.some((each) => each === id)) {
      throw securityErrors.built_in({ what: 'role', id });
    }
    await this.lock.exclude(async () => {
      await this.store.get(id);
      const profileCount = await this.profiles.countWithRole(id);
      if (profileCount > 0) throw securityErrors.role_in_use({ roleId: id, profileCount });
      await this.store.delete(id);
    });
    this.rights.dropAll();
    this.audit.roleChanged({ id, change: 'deleted', by: actor.userId });
  }

  private async change(
    id: string,
    actor: Actor,
    write: () => Promise<StoredRole>,
  ): Promise<StoredRole> {
    const stored = await this.lock.share(() => this.queue.run(id, write));
    this.rights.dropAll();
    const change = stored.isNew === true ? 'created' : 'updated';
    this.audit.roleChanged({ id, change, by: actor.userId });
    const warnings = unknownNames(stored.role, this.actions);
    if (warnings.length === 0) return stored;
    this.log.warn({ roleId: id, warnings }, 'a role names what this server does not know');
    return { ...stored, warnings };
  }
}
