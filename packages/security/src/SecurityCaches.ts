import { CLOCK, NODE_LINK, type Clock, type NodeLink, type Session } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ApiKeyStore } from './keys/ApiKeyStore.js';
import { ProfileStore } from './roles/ProfileStore.js';
import { RightsTable } from './RightsTable.js';
import { RoleStore } from './roles/RoleStore.js';
import { Revocations } from './tokens/Revocations.js';
import { UserStore } from './users/UserStore.js';

/** Cache lifetime in milliseconds while this node is disconnected from the cluster. */
const DISTRUST_MS = 250;

/**
 * Drops cached data that another node has changed. Changes made through this node drop it themselves, before they are
 * answered.
 */
@scoped(Scope.ContainerScoped)
export class SecurityCaches {
  private droppedAtMs = -Infinity;

  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(ApiKeyStore) private readonly apiKeys: ApiKeyStore,
    @inject(RightsTable) private readonly rights: RightsTable,
    @inject(Revocations) private readonly revocations: Revocations,
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Call before authorising: drops data that other nodes may have changed while this node was disconnected. */
  refreshIfOutOfTouch(): void {
    if (this.link.isCurrent()) return;
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.droppedAtMs < DISTRUST_MS) return;
    this.droppedAtMs = nowMs;
    this.dropRecords();
  }

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

  dropApiKey(id: string): void {
    this.apiKeys.drop(id);
  }

  /** Adds a token revoked on another node. */
  addRevocation(session: Session): void {
    this.revocations.remember(session);
  }

  /** All tokens of a user but one were ended on another node. */
  endTokens(userId: string, exceptTokenId: string | null): void {
    this.revocations.forgetUser(userId, exceptTokenId);
  }

  /** Drops everything and reloads, after messages may have been missed. */
  async dropAll(): Promise<void> {
    this.dropRecords();
    await this.revocations.reload();
  }

  private dropRecords(): void {
    this.users.dropAll();
    this.profiles.dropAll();
    this.roles.dropAll();
    this.apiKeys.dropAll();
    this.rights.dropAll();
  }
}
