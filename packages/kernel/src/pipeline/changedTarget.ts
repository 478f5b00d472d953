import type { ActionDefinition, ActionRequest } from '../contracts/actions/ActionDefinition.js';
import { readArgument } from '../contracts/actions/Argument.js';
import type { Target } from '../contracts/security/Security.js';

/**
 * The target of a request after pipes that changed its index, collection or `_id`; undefined if it is unchanged.
 * @throws storage.invalid_name, api.missing_argument, api.invalid_argument (400)
 */
export function changedTarget(
  { args: definitions }: ActionDefinition,
  target: Target,
  { args }: ActionRequest,
): Target | undefined {
  const { index = null, collection = null, _id = null } = args;
  if (index === target.index && collection === target.collection && _id === target.id) return undefined;
  const { index: ofIndex, collection: ofCollection, _id: ofId } = definitions;
  return {
    ...target,
    index: ofIndex === undefined ? null : (readArgument('index', ofIndex, index) ?? null),
    collection: ofCollection === undefined ? null : (readArgument('collection', ofCollection, collection) ?? null),
    id: ofId === undefined ? null : (readArgument('_id', ofId, _id) ?? null),
  };
}
