import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { MultiDocuments } from '../batches/MultiDocuments.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { newIndex: index, collection, documents, refresh, silent } = storageArguments;

/** document.mCreate */
export function createDocuments(many: MultiDocuments): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'mCreate',
    summary: 'Creates several documents.',
    routes: [route('POST /:index/:collection/_mCreate')],
    args: { index, collection, documents, refresh, silent },
    result: storageSchemas.manyWritten,
    mayFailInPart: true,
    writes: true,
    effect: 'createsCollection',
    run: ({ request, args }) => {
      const name = nameOf(args);
      return many.write('create', name, args.documents, toCommitOptions(request, args));
    },
  });
}
