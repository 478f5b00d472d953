import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { SpecificationCatalog } from '../validation/SpecificationCatalog.js';

/** collection.validateSpecifications (validation.md section 8.4) */
export function validateSpecifications(specifications: SpecificationCatalog): ActionDefinition {
  return defineAction({
    controller: 'collection',
    action: 'validateSpecifications',
    summary: 'Tells whether validation specifications are well formed, without storing them.',
    routes: [route('POST /_validateSpecifications')],
    args: {},
    bodyRequired: true,
    writes: false,
    run: ({ body }) => ({ ...specifications.judge(body) }),
  });
}
