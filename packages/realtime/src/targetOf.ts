import { toCollectionName, type CollectionName, type Target } from '@millrace/kernel';

/** The authorisation target of an action on a whole collection. */
export function targetOf(name: CollectionName, controller: string, action: string): Target {
  const { index, collection } = toCollectionName(name.index, name.collection);
  return { controller, action, index, collection, id: null, body: null };
}
