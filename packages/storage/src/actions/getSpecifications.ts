import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { SpecificationCatalog } from '../validation/SpecificationCatalog.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection } = storageArguments;

/** collection.getSpecifications */
export function getSpecifications(specifications: SpecificationCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'getSpecifications',
    summary: 'Gives the validation specification of a collection, as it was sent.',
    routes: [route('GET /:index/:collection/_specifications')],
    args: { index, collection },
    result: storageSchemas.storedSpecification,
    writes: false,
    run: ({ args }) => {
      const name = nameOf(args);
      const { index, collection, validation } = specifications.get(name);
      return { index, collection, validation };
    },
  });
}
