import { EFFECT_BITS } from './EFFECT_BITS.js';
import type { Grant } from './Grant.js';
import type { IndexGrant, Role } from './Role.js';

/** The rights that one policy grants on an index. */
export interface IndexRights {
  readonly grant: IndexGrant;
  /** Bit set of the effects that the policy doesn't allow. */
  readonly forbidden: number;
  /** The collections that the policy is restricted to; null for all, and the index as a whole. */
  readonly collections: ReadonlySet<string> | null;
}

/** One policy, prepared for lookups by index. */
export class PolicyRights {
  private readonly role: Role;
  /** By index: null for the index as a whole. */
  private readonly restrictions: ReadonlyMap<string, ReadonlySet<string> | null> | null;

  constructor({ role, restrictedTo }: Grant) {
    this.role = role;
    this.restrictions = restrictedTo && byIndex(restrictedTo);
  }

  /** All index names that the policy mentions. */
  get indexes(): readonly string[] {
    const named = [...this.role.indexes.keys()].filter((name) => name !== '*');
    return [...named, ...(this.restrictions?.keys() ?? [])];
  }

  /**
   * @param index null if the request names none: restrictions don't apply then
   * @returns undefined if the policy doesn't cover the index
   */
  rightsOn(index: string | null): IndexRights | undefined {
    const { role, restrictions } = this;
    const exact = index === null ? undefined : role.indexes.get(index);
    const grant = exact ?? role.indexes.get('*');
    const isLimited = index !== null && restrictions !== null;
    const collections = isLimited ? restrictions.get(index) : null;
    if (grant === undefined || collections === undefined) return undefined;
    const forbidden =
      (role.canCreateIndexes ? 0 : EFFECT_BITS.createsIndex) |
      (grant.canCreateCollections ? 0 : EFFECT_BITS.createsCollection) |
      (grant.canDelete ? 0 : EFFECT_BITS.deletesIndex);
    return { grant, forbidden, collections };
  }
}

/** Merges several entries for the same index. */
function byIndex(restrictedTo: NonNullable<Grant['restrictedTo']>): ReadonlyMap<string, ReadonlySet<string> | null> {
  const restrictions = new Map<string, Set<string> | null>();
  for (const { index, collections } of restrictedTo) {
    const known = restrictions.get(index);
    if (collections === undefined) restrictions.set(index, null);
    else if (known === undefined) restrictions.set(index, new Set(collections));
    else collections.forEach((name) => known?.add(name));
  }
  return restrictions;
}
