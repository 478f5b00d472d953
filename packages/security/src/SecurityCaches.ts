import { inject, injectable } from 'tsyringe';
import { ProfileStore } from './profiles/ProfileStore.js';
import { RightsTable } from './RightsTable.js';
import { RoleStore } from './roles/RoleStore.js';
import { Revocations } from './tokens/Revocations.js';
import { UserStore } from './users/UserStore.js';

/**
 * Forgets what is kept in memory when another node has changed it. Changes made through this node do so by themselves,
 * before they are answered.
 */
@injectable()
export class SecurityCaches {
  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(RightsTable) private readonly rights: RightsTable,
    @inject(Revocations) private readonly revocations: Revocations,
  ) {}

  dropUser(id: string): void {
    this.users.drop(id);
  }

  dropProfile(id: string): void {
    this.profiles.drop(id);
    this.rights.dropAll();
  }

  dropRole(id: string): void {
    this.roles.drop(id);
    this.rights.dropAll();
  }

  /** A token was revoked elsewhere. @param expiresAtMs its end, UTC milliseconds */
  addRevocation(tokenId: string, expiresAtMs: number): void {
    this.revocations.remember(tokenId, expiresAtMs);
  }

  /** After messages may have been missed: everything is read again. */
  async dropAll(): Promise<void> {
    this.users.dropAll();
    this.profiles.dropAll();
    this.roles.dropAll();
    this.rights.dropAll();
    await this.revocations.reload();
  }
}
