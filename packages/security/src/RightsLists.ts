import { SECURITY_CONFIG, type SecurityConfig } from './config.js';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { User } from '@millrace/kernel';
import { FirstAdminMarker } from './FirstAdminMarker.js';
import { limitsOf } from './keys/limitUser.js';
import { intersectItems } from './rights/intersectItems.js';
import type { RightsItem } from './rights/RightsItem.js';
import { RightsTable } from './RightsTable.js';

const EVERYWHERE = { index: '*', collection: '*' } as const;
/** The rights of every request while the server is open (SEC-2). */
const OPEN: readonly RightsItem[] = [
  { controller: '*', action: '*', ...EVERYWHERE, value: 'allowed' },
  { controller: 'server', action: 'getConfig', ...EVERYWHERE, value: 'denied' },
];

/** Lists the rights of users. */
@scoped(Scope.ContainerScoped)
export class RightsLists {
  constructor(
    @inject(RightsTable) private readonly rights: RightsTable,
    @inject(FirstAdminMarker) private readonly firstAdmin: FirstAdminMarker,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  /** The current rights of a user, sorted: of requests with an API key, those that its policies leave. */
  async of(user: User): Promise<readonly RightsItem[]> {
    const isOpen = this.config.openUntilFirstAdmin && !(await this.firstAdmin.exists());
    if (isOpen) return OPEN;
    const rights = await this.rights.of(user.profileIds);
    const limits = limitsOf(user);
    return limits === null
      ? rights.items()
      : intersectItems(rights, await this.rights.ofPolicies(limits));
  }
}
