import { toCollectionRights } from './CollectionRights.js';
import { decisionFor } from './Decision.js';
import type { Grant } from './Grant.js';
import { PolicyRights } from './PolicyRights.js';
import type { Verdict } from './Rights.js';
import type { RightsItem } from './RightsItem.js';
import type { CollectionGrant, IndexGrant } from './Role.js';

/** An index and collection (or `*`) that a policy mentions. */
interface Place {
  readonly index: string;
  readonly collection: string;
  readonly controllers: CollectionGrant['controllers'];
}

/**
 * The entries of a rights list, sorted by controller, action, index, collection: one for each index and collection
 * that some policy mentions, with the combined decision of all policies. So no entry is `denied` if a broader policy
 * allows it.
 */
export function listRightsItems(grants: readonly Grant[], internalIndex: string): readonly RightsItem[] {
  const policies = grants.map((grant) => new PolicyRights(grant));
  const items = new Map<string, RightsItem>();
  for (const { index, collection, controllers } of grants.flatMap(placesOf)) {
    if (index === internalIndex) continue;
    // No index or collection can be called `*`, so this looks up "all others".
    const granted = policies.flatMap((policy) => {
      const rights = policy.rightsOn(index);
      return (rights && toCollectionRights(rights, collection)) ?? [];
    });
    for (const [controller, actions] of controllers) {
      for (const action of actions.keys()) {
        const key = JSON.stringify([controller, action, index, collection]);
        if (items.has(key)) continue;
        const { verdict } = decisionFor(granted, controller, action);
        items.set(key, { controller, action, index, collection, value: toRightsValue(verdict) });
      }
    }
  }
  return [...items.values()].sort(compareItems);
}

/** Expands restrictions to one entry per index or collection. */
function placesOf({ role, restrictedTo }: Grant): readonly Place[] {
  if (restrictedTo === null) {
    return [...role.indexes].flatMap(([index, grant]) => placesIn(index, grant));
  }
  return restrictedTo.flatMap(({ index, collections }) => {
    const grant = role.indexes.get(index) ?? role.indexes.get('*');
    return grant === undefined ? [] : placesIn(index, grant, collections);
  });
}

function placesIn(
  index: string,
  { collections }: IndexGrant,
  names: readonly string[] = [...collections.keys()],
): readonly Place[] {
  return names.flatMap((collection) => {
    const found = collections.get(collection) ?? collections.get('*');
    return found === undefined ? [] : [{ index, collection, controllers: found.controllers }];
  });
}

/** How a list of rights shows a verdict. */
export function toRightsValue(verdict: Verdict): RightsItem['value'] {
  return verdict === true ? 'allowed' : verdict === false ? 'denied' : 'conditional';
}

/** Compares by code unit. */
export function compareItems(a: RightsItem, b: RightsItem): number {
  return (
    compareTexts(a.controller, b.controller) ||
    compareTexts(a.action, b.action) ||
    compareTexts(a.index, b.index) ||
    compareTexts(a.collection, b.collection)
  );
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
