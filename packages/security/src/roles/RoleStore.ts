import { LOGGER, RECORD_PLACE, securityErrors, type Logger, type RecordPlace } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { mergeRoleBody } from '../rights/mergeRoleBody.js';
import { parseRole } from '../rights/parseRole.js';
import type { Role } from '../rights/Role.js';
import { RightsStore, type RightsKind } from '../store/RightsStore.js';
import { namesInRole } from './namesInRole.js';

const kindWith = (protectedProperties: readonly string[]): RightsKind<Role> => ({
  noun: 'role',
  collection: 'roles',
  mapping: parseMapping({
    dynamic: false,
    properties: { indexes: { type: 'keyword' }, controllers: { type: 'keyword' } },
  }),
  notFound: (id) => securityErrors.role_not_found({ roleId: id }),
  exists: (id, cause) => securityErrors.role_exists({ roleId: id }, { cause }),
  parseBody: (id, body) => parseRole(id, body, protectedProperties),
  toBody: ({ body }) => body,
  merge: (id, { body }, change) => parseRole(id, mergeRoleBody(body, change), protectedProperties),
  terms: namesInRole,
});

/** Stores roles. */
@scoped(Scope.ContainerScoped)
export class RoleStore extends RightsStore<Role> {
  constructor(
    @inject(RECORD_PLACE) place: RecordPlace,
    @inject(LOGGER) log: Logger,
    @inject(SECURITY_CONFIG) { protectedProperties }: SecurityConfig,
  ) {
    super(place, log, kindWith(protectedProperties));
  }
}
