import {
  ACTIONS,
  isCollectionAbsent,
  LOGGER,
  securityErrors,
  STORAGE_ENGINE,
  type ActionTable,
  type CollectionName,
  type Logger,
  type StorageEngine,
} from '@millrace/kernel';
import { compileMapping, QueryError, type CompiledMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from '../Actor.js';
import { Audit } from '../Audit.js';
import { assertRolesWithinKey } from './assertWithinKey.js';
import { ProfileStore } from './ProfileStore.js';
import type { DocumentRule } from '../rights/DocumentRule.js';
import { isDocumentRule } from '../rights/Right.js';
import type { CollectionGrant, Role } from '../rights/Role.js';
import { RightsTable } from '../RightsTable.js';
import { RecordCatalog } from '../store/RecordCatalog.js';
import { StructureLock } from '../store/StructureLock.js';
import { RoleStore } from './RoleStore.js';
import { unknownNames } from './unknownNames.js';

const ANY = '*';

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
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
  ) {
    super(store, { rights, lock, audit, log });
  }

  protected override assertWithinKey(_: Role, actor: Actor): void {
    assertRolesWithinKey(actor);
  }

  /** Only collections that the role names: of those under `*`, some may have other fields of the same name. */
  protected override async assertReferences({ id, indexes }: Role): Promise<void> {
    for (const [index, { collections }] of indexes) {
      for (const [collection, grant] of collections) {
        const rules = [...documentRulesOf(grant)];
        if (rules.length === 0 || index === ANY || collection === ANY) continue;
        const mapping = await this.mappingOf({ index, collection });
        if (mapping !== undefined) assertFits(id, rules, mapping);
      }
    }
  }

  protected override warningsOf(role: Role): readonly string[] {
    return unknownNames(role, this.actions);
  }

  protected override async assertUnused(id: string): Promise<void> {
    const profileCount = await this.profiles.countWithRole(id);
    if (profileCount > 0) throw securityErrors.role_in_use({ roleId: id, profileCount });
  }

  /** @returns undefined if the collection is absent */
  private async mappingOf(name: CollectionName): Promise<CompiledMapping | undefined> {
    try {
      return compileMapping(await this.engine.getMapping(name));
    } catch (error) {
      if (isCollectionAbsent(error)) return undefined;
      throw error;
    }
  }
}

function* documentRulesOf({ controllers }: CollectionGrant): Iterable<DocumentRule> {
  for (const rights of controllers.values()) {
    for (const right of rights.values()) {
      if (typeof right === 'object' && isDocumentRule(right)) yield right;
    }
  }
}

/** @throws security.invalid_role (400) */
function assertFits(roleId: string, rules: readonly DocumentRule[], mapping: CompiledMapping): void {
  try {
    for (const rule of rules) rule.assertFits(mapping);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw securityErrors.invalid_role({ roleId, reason: error.message });
  }
}
