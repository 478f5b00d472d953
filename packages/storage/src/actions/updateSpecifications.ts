import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { SpecificationCatalog } from '../validation/SpecificationCatalog.js';
import { storageSchemas } from './storageSchemas.js';

/** collection.updateSpecifications (VALID-43) */
export function updateSpecifications(specifications: SpecificationCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'updateSpecifications',
    summary: 'Sets the validation specifications of one or more collections.',
    routes: [route('PUT /_specifications')],
    args: {},
    content: storageSchemas.specifications,
    result: storageSchemas.specifications,
    bodyRequired: true,
    writes: true,
    run: async ({ request, body }) => {
      await specifications.update(body, request);
      return body;
    },
  });
}
