import {
  INTERNAL_INDEX,
  LOGGER,
  securityErrors,
  STORAGE_ENGINE,
  type Logger,
  type StorageEngine,
} from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { mergeRoleBody } from '../rights/mergeRoleBody.js';
import { parseRole } from '../rights/parseRole.js';
import type { Role } from '../rights/Role.js';
import { RecordStore, type RecordKind } from '../store/RecordStore.js';
import { namesInRole } from './namesInRole.js';

const kindWith = (protectedProperties: readonly string[]): RecordKind<Role> => ({
  noun: 'role',
  collection: 'roles',
  mapping: parseMapping({
    dynamic: false,
    properties: { indexes: { type: 'keyword' }, controllers: { type: 'keyword' } },
  }),
  notFound: (id) => securityErrors.role_not_found({ roleId: id }),
  exists: (id, cause) => securityErrors.role_exists({ roleId: id }, { cause }),
  parse: (id, body) => parseRole(id, body, protectedProperties),
  toBody: ({ body }) => body,
  merge: (id, { body }, change) => parseRole(id, mergeRoleBody(body, change), protectedProperties),
  terms: namesInRole,
});

/** Stores roles. */
@scoped(Scope.ContainerScoped)
export class RoleStore extends RecordStore<Role> {
  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(LOGGER) log: Logger,
    @inject(SECURITY_CONFIG) { protectedProperties }: SecurityConfig,
  ) {
    super(engine, index, log, kindWith(protectedProperties));
  }
}
