import { defineAction, route, toNewCollectionName, type ActionDefinition } from '@millrace/kernel';
import type { DocumentStore } from '../documents/DocumentStore.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, documentId: _id, refresh, silent } = storageArguments;

/** document.createOrReplace */
export function createOrReplaceDocument(documents: DocumentStore): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'createOrReplace',
    summary: 'Creates a document, or replaces the one there is.',
    routes: [
      route('PUT /:index/:collection/:_id'),
      route('PUT /:index/:collection/:_id/_createOrReplace'),
    ],
    args: { index, collection, _id, refresh, silent },
    bodyRequired: true,
    content: storageSchemas.document,
    result: storageSchemas.writtenOrReplaced,
    writes: true,
    effect: 'createsCollection',
    subject: 'storedOrSent',
    run: async ({ request, args, body: source }) => {
      const name = toNewCollectionName(args.index, args.collection);
      const options = toCommitOptions(request, args);
      const written = await documents.createOrReplace({ name, id: args._id, source, ...options });
      const { id, version, isNew, meta, source: stored } = written;
      return { _id: id, _source: stored, _meta: meta, _version: version, created: isNew };
    },
  });
}
