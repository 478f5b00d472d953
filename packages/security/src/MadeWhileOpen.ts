import { isError, securityErrors, type JsonObject, type RecordStore } from '@millrace/kernel';
import { EVERY_DOCUMENT } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { Actor } from './Actor.js';
import { BuiltInAccounts } from './BuiltInAccounts.js';
import { ProfileCatalog } from './roles/ProfileCatalog.js';
import { ProfileStore } from './roles/ProfileStore.js';
import { BUILT_IN_IDS } from './rights/BUILT_IN_ROLES.js';
import { RoleCatalog } from './roles/RoleCatalog.js';
import { RoleStore } from './roles/RoleStore.js';
import { UserWriter } from './accounts/UserWriter.js';
import { UserStore } from './users/UserStore.js';

const MAX_LISTED = 1_000;

/** Ids of all accounts that aren't built in, sorted. */
interface Accounts {
  readonly users: readonly string[];
  readonly profiles: readonly string[];
  readonly roles: readonly string[];
}

/**
 * The users, profiles and roles that existed before the first administrator. While a server is open anyone may have
 * created them, including a web page in the developer's browser, in order to come back with rights later.
 */
@scoped(Scope.ContainerScoped)
export class MadeWhileOpen {
  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(UserWriter) private readonly writer: UserWriter,
    @inject(ProfileCatalog) private readonly profileCatalog: ProfileCatalog,
    @inject(RoleCatalog) private readonly roleCatalog: RoleCatalog,
    @inject(BuiltInAccounts) private readonly builtIn: BuiltInAccounts,
  ) {}

  /** @param administrator the administrator just created */
  async list(administrator: string): Promise<Accounts> {
    const [users, profiles, roles] = await Promise.all([idsOf(this.users), idsOf(this.profiles), idsOf(this.roles)]);
    const isOwn = (id: string) => BUILT_IN_IDS.every((each) => each !== id);
    return {
      users: users.filter((id) => id !== administrator).sort(),
      profiles: profiles.filter(isOwn).sort(),
      roles: roles.filter(isOwn).sort(),
    };
  }

  /** Removes them all, users with their tokens; afterwards no built-in account refers to them. */
  async remove({ users, profiles, roles }: Accounts, actor: Actor): Promise<void> {
    await this.builtIn.reset(actor, BUILT_IN_IDS);
    for (const id of users) await unlessGone(() => this.writer.delete(id, actor));
    for (const id of profiles) await unlessGone(() => this.profileCatalog.delete(id, actor));
    for (const id of roles) await unlessGone(() => this.roleCatalog.delete(id, actor));
  }
}

/** The result of the action: at most 1,000 ids of each kind, and `truncated` if there are more. */
export function toMadeWhileOpen({ users, profiles, roles }: Accounts): JsonObject {
  const lists = { users, profiles, roles };
  const isTruncated = Object.values(lists).some(({ length }) => length > MAX_LISTED);
  const shown = Object.entries(lists).map(([kind, ids]) => [kind, ids.slice(0, MAX_LISTED)]);
  return {
    ...(Object.fromEntries(shown) as JsonObject),
    ...(isTruncated ? { truncated: true } : undefined),
  };
}

async function idsOf(store: Pick<RecordStore<unknown>, 'scanIds'>): Promise<string[]> {
  const all: string[] = [];
  for await (const ids of store.scanIds(EVERY_DOCUMENT)) all.push(...ids);
  return all;
}

async function unlessGone(remove: () => Promise<void>): Promise<void> {
  const gone = [securityErrors.user_not_found, securityErrors.profile_not_found, securityErrors.role_not_found];
  try {
    await remove();
  } catch (error) {
    if (!gone.some((each) => isError(error, each))) throw error;
  }
}
