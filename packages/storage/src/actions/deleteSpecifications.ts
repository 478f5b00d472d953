import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { SpecificationCatalog } from '../validation/SpecificationCatalog.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection } = storageArguments;

/** collection.deleteSpecifications: succeeds even if none was set. */
export function deleteSpecifications(specifications: SpecificationCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'deleteSpecifications',
    summary: 'Removes the validation specification of a collection.',
    routes: [route('DELETE /:index/:collection/_specifications')],
    args: { index, collection },
    result: storageSchemas.empty,
    writes: true,
    run: async ({ args }) => {
      await specifications.delete(nameOf(args));
      return {};
    },
  });
}
