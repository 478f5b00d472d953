import { SECURITY_CONFIG, type SecurityConfig } from './config.js';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { User } from '@millrace/kernel';
import { FirstAdminMarker } from './FirstAdminMarker.js';
import { limitsOf } from './rights/limitUser.js';
import { compareItems, toRightsValue } from './rights/listRightsItems.js';
import type { Policy } from './rights/Policy.js';
import type { Rights } from './rights/Rights.js';
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
    if (await this.isOpen()) return OPEN;
    const rights = await this.rights.of(user.profileIds);
    const limits = limitsOf(user);
    return limits === null ? rights.items() : intersectItems(rights, await this.rights.ofPolicies(limits));
  }

  /** The current rights of users with these policies, sorted. */
  async ofPolicies(policies: readonly Policy[]): Promise<readonly RightsItem[]> {
    return (await this.isOpen()) ? OPEN : (await this.rights.ofPolicies(policies)).items();
  }

  private async isOpen(): Promise<boolean> {
    return this.config.openUntilFirstAdmin && !(await this.firstAdmin.exists());
  }
}

const PRECEDENCE: readonly RightsItem['value'][] = ['denied', 'conditional', 'allowed'];

/** The list of what two rights grant together, sorted: the places and actions that either of them names. */
function intersectItems(first: Rights, second: Rights): readonly RightsItem[] {
  const items = new Map<string, RightsItem>();
  for (const { controller, action, index, collection } of [...first.items(), ...second.items()]) {
    const values = [first, second].map((rights) =>
      // No index or collection can be called `*`, so this looks up "all others".
      toRightsValue(rights.decide(controller, action, index, collection)),
    );
    const value = PRECEDENCE.find((each) => values.includes(each)) ?? 'denied';
    const key = JSON.stringify([controller, action, index, collection]);
    items.set(key, { controller, action, index, collection, value });
  }
  return [...items.values()].sort(compareItems);
}
