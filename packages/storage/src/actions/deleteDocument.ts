import { defineAction, route, toCollectionName, type ActionDefinition } from '@millrace/kernel';
import type { DocumentStore } from '../documents/DocumentStore.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, _id, refresh, silent, ifVersion } = storageArguments;

/** document.delete */
export function deleteDocument(documents: DocumentStore): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'delete',
    summary: 'Deletes a document.',
    routes: [route('DELETE /:index/:collection/:_id')],
    args: { index, collection, _id, refresh, silent, ifVersion },
    result: storageSchemas.deleted,
    writes: true,
    subject: 'stored',
    run: async ({ request, args }) => {
      const name = toCollectionName(args.index, args.collection);
      const options = toCommitOptions(request, args);
      const condition = args.ifVersion === undefined ? {} : { ifVersion: args.ifVersion };
      await documents.delete(name, args._id, { ...options, ...condition });
      return { _id: args._id };
    },
  });
}
