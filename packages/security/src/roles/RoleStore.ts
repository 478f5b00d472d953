import { isJsonObject, LOGGER, RECORD_PLACE, securityErrors, type Logger, type RecordPlace } from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { mergeRoleBody } from '../rights/mergeRoleBody.js';
import { parseRole } from '../rights/parseRole.js';
import type { Role } from '../rights/Role.js';
import { RightsStore, type RightsKind } from '../store/RightsStore.js';

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

/** No index has a longer name, and engines can't store longer terms. */
const MAX_NAME_LENGTH = 512;

/** The names by which a role can be found: its indexes (none for a flat role) and controllers, as written. */
function namesInRole({ body, indexes }: Role): {
  readonly indexes: readonly string[];
  readonly controllers: readonly string[];
} {
  const isTree = Object.hasOwn(body, 'indexes') && isJsonObject(body['indexes']);
  const controllers = new Set<string>();
  for (const { collections } of indexes.values()) {
    for (const collection of collections.values()) {
      for (const controller of collection.controllers.keys()) controllers.add(controller);
    }
  }
  const searchable = (names: Iterable<string>) => [...names].filter((name) => name.length <= MAX_NAME_LENGTH);
  return {
    indexes: isTree ? searchable(indexes.keys()) : [],
    controllers: searchable(controllers),
  };
}
