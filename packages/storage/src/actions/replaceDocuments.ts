import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { MultiDocuments } from '../batches/MultiDocuments.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, documents, refresh, silent } = storageArguments;

/** document.mReplace */
export function replaceDocuments(many: MultiDocuments): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'mReplace',
    summary: 'Replaces several documents that exist.',
    routes: [route('PUT /:index/:collection/_mReplace')],
    args: { index, collection, documents, refresh, silent },
    result: storageSchemas.manyWritten,
    mayFailInPart: true,
    writes: true,
    run: ({ request, args }) => {
      const name = nameOf(args);
      return many.write('replace', name, args.documents, toCommitOptions(request, args));
    },
  });
}
