import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { MultiDocuments } from '../batches/MultiDocuments.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, ids } = storageArguments;

/** document.mGet */
export function getDocuments(many: MultiDocuments): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'mGet',
    summary: 'Gives several documents.',
    routes: [route('POST /:index/:collection/_mGet')],
    args: { index, collection, ids },
    result: storageSchemas.manyWritten,
    mayFailInPart: true,
    writes: false,
    run: ({ request, args }) => many.get(nameOf(args), args.ids, request),
  });
}
