import {
  INTERNAL_INDEX,
  LOGGER,
  securityErrors,
  STORAGE_ENGINE,
  type JsonObject,
  type Logger,
  type StorageEngine,
} from '@millrace/kernel';
import { parseCount, parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { parsePolicies } from '../rights/parsePolicies.js';
import type { Policy } from '../rights/Policy.js';
import { RecordStore, type RecordKind } from '../store/RecordStore.js';

const KIND: RecordKind<readonly Policy[]> = {
  noun: 'profile',
  collection: 'profiles',
  mapping: parseMapping({ dynamic: false, properties: { policies: { type: 'keyword' } } }),
  notFound: (id) => securityErrors.profile_not_found({ profileId: id }),
  exists: (id, cause) => securityErrors.profile_exists({ profileId: id }, { cause }),
  parse: (_, body) => parsePolicies(body),
  toBody: (policies) => ({ policies: toBody(policies) }),
  merge: (_, __, change) => parsePolicies(change),
  terms: (policies) => ({ policies: [...new Set(policies.map(({ roleId }) => roleId))] }),
};

/** Stores profiles, which are lists of policies. */
@scoped(Scope.ContainerScoped)
export class ProfileStore extends RecordStore<readonly Policy[]> {
  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(LOGGER) log: Logger,
  ) {
    super(engine, index, log, KIND);
  }

  /** @throws security.invalid_user (400) naming the first missing profile */
  async assertExist(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if ((await this.find(id)) !== null) continue;
      const reason = `no profile ${JSON.stringify(id.slice(0, 100))}`;
      throw securityErrors.invalid_user({ reason });
    }
  }

  /** The number of profiles that contain the role. */
  countWithRole(roleId: string): Promise<number> {
    return this.collection.count(parseCount({ query: { term: { policies: roleId } } }));
  }
}

/** Policies as stored and returned: with the role under both its names (SEC-20). */
export function toBody(policies: readonly Policy[]): readonly JsonObject[] {
  return policies.map(({ roleId, restrictedTo }) => ({
    _id: roleId,
    roleId,
    ...(restrictedTo === null
      ? undefined
      : { restrictedTo: restrictedTo.map((restriction) => ({ ...restriction })) }),
  }));
}
