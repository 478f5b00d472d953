import { EFFECT_BITS } from './EFFECT_BITS.js';
import type { IndexRights } from './PolicyRights.js';
import type { CollectionGrant } from './Role.js';

/** The rights that one policy grants on a collection. */
export interface CollectionRights {
  readonly controllers: CollectionGrant['controllers'];
  /** Bit set of the effects that the policy doesn't allow, including those it forbids on the index. */
  readonly forbidden: number;
}

/**
 * @param collection null for the index as a whole
 * @returns undefined if the policy doesn't cover the collection
 */
export function toCollectionRights(
  { grant, forbidden, collections }: IndexRights,
  collection: string | null,
): CollectionRights | undefined {
  if (collections !== null && (collection === null || !collections.has(collection))) {
    return undefined;
  }
  const exact = collection === null ? undefined : grant.collections.get(collection);
  const found = exact ?? grant.collections.get('*');
  if (found === undefined) return undefined;
  const own = found.canDelete ? 0 : EFFECT_BITS.deletesCollection;
  return { controllers: found.controllers, forbidden: forbidden | own };
}
