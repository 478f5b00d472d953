import { isThenable, type JsonObject, type Request, type User } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { toRole } from '../roles/parseProfile.js';
import { ProfileStore } from '../roles/ProfileStore.js';
import { RightsLists } from '../RightsLists.js';
import { toPublicSource } from '../users/UserRecord.js';
import { UserStore } from '../users/UserStore.js';

/** Describes callers to themselves. */
@scoped(Scope.ContainerScoped)
export class CurrentUser {
  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RightsLists) private readonly rights: RightsLists,
  ) {}

  /** `{_id, _source}`, with the profiles and their roles (SEC-48). */
  async describe({ user, session }: Request): Promise<JsonObject> {
    const record = session === null ? null : await this.users.get(user._id);
    const source = record === null ? toSource(user) : toPublicSource(record);
    const profiles: JsonObject[] = [];
    for (const id of user.profileIds) {
      let found = this.profiles.find(id);
      if (isThenable(found)) found = await found;
      profiles.push({ _id: id, roles: found === null ? [] : found.content.policies.map(toRole) });
    }
    const [profile = null] = profiles;
    return { _id: user._id, _source: { ...source, profile, profiles } };
  }

  async listRights({ user }: Request): Promise<JsonObject> {
    return { hits: await this.rights.of(user) };
  }
}

/** A user that a program acts for need not be stored. */
function toSource({ _id, ...source }: User): JsonObject {
  return { ...(source as JsonObject), profileId: source.profileIds[0] ?? '' };
}
