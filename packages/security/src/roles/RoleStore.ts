/*
 * Stores roles as JSON strings: their keys come from users and must not become fields. The searchable values (names
 * of indexes and controllers) are separate fields.
 */
import {
  INTERNAL_INDEX,
  LOGGER,
  securityErrors,
  STORAGE_ENGINE,
  type JsonObject,
  type Logger,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
} from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { assertAccountId } from '../assertAccountId.js';
import { mergeRoleBody } from '../rights/mergeRoleBody.js';
import { parseRole } from '../rights/parseRole.js';
import type { Role } from '../rights/Role.js';
import { parseJsonText } from '../store/parseJsonText.js';
import { RecordStore, type RecordKind } from '../store/RecordStore.js';
import type { PageArguments, SearchPage } from '../store/SearchPage.js';
import { namesInRole } from './namesInRole.js';

const KIND: RecordKind = {
  noun: 'role',
  collection: 'roles',
  mapping: parseMapping({
    dynamic: false,
    properties: { indexes: { type: 'keyword' }, controllers: { type: 'keyword' } },
  }),
  notFound: (id) => securityErrors.role_not_found({ roleId: id }),
  exists: (id, cause) => securityErrors.role_exists({ roleId: id }, { cause }),
};

/** A role with its version. */
export interface StoredRole {
  readonly id: string;
  readonly version: number;
  readonly role: Role;
  /** True if a write created it. */
  readonly isNew?: boolean;
  /** Warnings about the content written; absent if there are none. */
  readonly warnings?: readonly string[];
}

/** Criteria of a search for roles; names are compared exactly. */
export interface RoleSearch extends PageArguments {
  readonly indexes?: readonly string[] | undefined;
  readonly controllers?: readonly string[] | undefined;
}

/** Stores roles. Doesn't know which profiles refer to them. */
@scoped(Scope.ContainerScoped)
export class RoleStore extends RecordStore<StoredRole> {
  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(LOGGER) log: Logger,
  ) {
    super(engine, index, log, KIND);
  }

  /** @throws security.invalid_role, security.invalid_id (400), security.role_exists (409) */
  create(id: string, body: JsonObject): Promise<StoredRole> {
    return this.keep(parseNew(id, body), 'absent');
  }

  /** @throws security.invalid_role, security.invalid_id (400) */
  createOrReplace(id: string, body: JsonObject): Promise<StoredRole> {
    return this.keep(parseNew(id, body), 'any');
  }

  /** Merges the change into the role. @throws security.role_not_found (404), security.invalid_role (400) */
  async update(id: string, change: JsonObject): Promise<StoredRole> {
    const { role, version } = await this.get(id);
    const updated = await this.keep(parseRole(id, mergeRoleBody(role.body, change)), version);
    return { id, version: updated.version, role: updated.role };
  }

  /** @throws query.window_too_large (400) */
  search(
    { indexes = [], controllers = [], ...page }: RoleSearch,
    signal?: AbortSignal,
  ): Promise<SearchPage<StoredRole>> {
    return this.searchPage({ indexes, controllers }, page, signal);
  }

  protected parse({ id, version, source }: StoredDocument): StoredRole {
    return { id, version, role: parseRole(id, parseJsonText(source['content'], this.name, id)) };
  }

  private async keep(role: Role, condition: WriteCondition): Promise<StoredRole> {
    const { id, body } = role;
    const source = { ...namesInRole(role), content: JSON.stringify(body) };
    const { status, version } = await this.put(id, source, condition);
    return { id, version, role, isNew: status === 'created' };
  }
}

function parseNew(id: string, body: JsonObject): Role {
  assertAccountId('role', id);
  return parseRole(id, body);
}
