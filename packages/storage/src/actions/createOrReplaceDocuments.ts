import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { MultiDocuments } from '../batches/MultiDocuments.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { newIndex: index, collection, documents, refresh, silent } = storageArguments;

/** document.mCreateOrReplace */
export function createOrReplaceDocuments(many: MultiDocuments): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'mCreateOrReplace',
    summary: 'Creates or replaces several documents.',
    routes: [route('PUT /:index/:collection/_mCreateOrReplace')],
    args: { index, collection, documents, refresh, silent },
    result: storageSchemas.manyWritten,
    mayFailInPart: true,
    writes: true,
    effect: 'createsCollection',
    run: ({ request, args }) => {
      const name = nameOf(args);
      return many.write('index', name, args.documents, toCommitOptions(request, args));
    },
  });
}
