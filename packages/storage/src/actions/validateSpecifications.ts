import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { SpecificationCatalog } from '../validation/SpecificationCatalog.js';
import { storageSchemas } from './storageSchemas.js';

/** collection.validateSpecifications (VALID-42) */
export function validateSpecifications(specifications: SpecificationCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'validateSpecifications',
    summary: 'Tells whether validation specifications are well formed, without storing them.',
    routes: [route('POST /_validateSpecifications')],
    args: {},
    content: storageSchemas.anySpecifications,
    result: storageSchemas.specificationVerdict,
    bodyRequired: true,
    writes: false,
    run: ({ body }) => ({ ...specifications.decide(body) }),
  });
}
