import { defineAction, route, toNewCollectionName, type ActionDefinition } from '@millrace/kernel';
import type { MultiDocuments } from '../batches/MultiDocuments.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, documents, refresh, silent } = storageArguments;

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
      const name = toNewCollectionName(args.index, args.collection);
      return many.write('index', name, args.documents, toCommitOptions(request, args));
    },
  });
}
