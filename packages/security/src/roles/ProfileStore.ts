import { LOGGER, RECORD_PLACE, securityErrors, type Logger, type RecordPlace } from '@millrace/kernel';
import { parseCount, parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RightsStore, type RightsKind } from '../store/RightsStore.js';
import { mergeProfile, parseProfile, toProfileBody } from './parseProfile.js';
import type { Profile } from './Profile.js';

const KIND: RightsKind<Profile> = {
  noun: 'profile',
  collection: 'profiles',
  mapping: parseMapping({ dynamic: false, properties: { policies: { type: 'keyword' } } }),
  notFound: (id) => securityErrors.profile_not_found({ profileId: id }),
  exists: (id, cause) => securityErrors.profile_exists({ profileId: id }, { cause }),
  parseBody: (_, body) => parseProfile(body),
  toBody: toProfileBody,
  merge: (_, profile, change) => mergeProfile(profile, change),
  terms: ({ policies }) => ({ policies: [...new Set(policies.map(({ roleId }) => roleId))] }),
};

/** Stores profiles: policies, and a rate limit. */
@scoped(Scope.ContainerScoped)
export class ProfileStore extends RightsStore<Profile> {
  constructor(@inject(RECORD_PLACE) place: RecordPlace, @inject(LOGGER) log: Logger) {
    super(place, log, KIND);
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
    return this.count(parseCount({ query: { term: { policies: roleId } } }));
  }
}
