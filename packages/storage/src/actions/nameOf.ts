import type { CheckedCollection } from '@millrace/kernel';

/** The collection that the arguments of an action name, without the other arguments. */
export function nameOf({ index, collection }: CheckedCollection): CheckedCollection {
  return { index, collection };
}
