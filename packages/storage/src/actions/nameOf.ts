import type { CheckedCollection } from '@millrace/kernel';

/** The collection that an action's arguments name, without the other arguments. */
export function nameOf({ index, collection }: CheckedCollection): CheckedCollection {
  return { index, collection };
}
