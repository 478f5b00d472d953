import { compareItems, toRightsValue } from './listRightsItems.js';
import type { Rights } from './Rights.js';
import type { RightsItem } from './RightsItem.js';

const PRECEDENCE: readonly RightsItem['value'][] = ['denied', 'conditional', 'allowed'];

/** The list of what two rights grant together, sorted: the places and actions that either of them names. */
export function intersectItems(first: Rights, second: Rights): readonly RightsItem[] {
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
