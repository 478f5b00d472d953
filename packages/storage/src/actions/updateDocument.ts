import { defineAction, route, toCollectionName, type ActionDefinition } from '@millrace/kernel';
import type { DocumentUpdates } from '../documents/DocumentUpdates.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, documentId: _id, refresh, silent, ifVersion } = storageArguments;

/** document.update */
export function updateDocument(updates: DocumentUpdates): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'update',
    summary: 'Merges the body into a document that exists.',
    routes: [route('PUT /:index/:collection/:_id/_update')],
    args: { index, collection, _id, refresh, silent, ifVersion },
    bodyRequired: true,
    content: storageSchemas.document,
    result: storageSchemas.written,
    writes: true,
    subject: 'stored',
    run: async ({ request, args, body: changes }) => {
      const name = toCollectionName(args.index, args.collection);
      const options = toCommitOptions(request, args);
      const condition = args.ifVersion === undefined ? {} : { ifVersion: args.ifVersion };
      const update = { name, id: args._id, changes, ...options, ...condition };
      const { id, version, source, meta } = await updates.update(update);
      return { _id: id, _version: version, _source: source, _meta: meta };
    },
  });
}
