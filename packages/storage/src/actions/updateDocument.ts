import { defineAction, readPrecondition, route, type ActionDefinition } from '@millrace/kernel';
import { toCommitOptions } from '../documents/CommitOptions.js';
import type { DocumentStore } from '../documents/DocumentStore.js';
import { underPrecondition, versionAsked } from '../documents/underPrecondition.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, documentId: _id, refresh, silent, ifVersion } = storageArguments;

const PRECONDITIONS = ['version', 'present'] as const;

/** document.update */
export function updateDocument(documents: DocumentStore): ActionDefinition {
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
    setsVersion: true,
    preconditions: PRECONDITIONS,
    run: async ({ request, args, body: changes }) => {
      const name = nameOf(args);
      const options = toCommitOptions(request, args);
      const precondition = readPrecondition(request, PRECONDITIONS);
      const ifVersion = versionAsked(precondition, args.ifVersion);
      const condition = ifVersion === undefined ? {} : { ifVersion };
      const update = { name, id: args._id, changes, ...options, ...condition };
      const { id, version, source, meta } = await underPrecondition({ name, id: args._id, precondition }, () =>
        documents.update(update),
      );
      request.version = version;
      return { _id: id, _version: version, _source: source, _meta: meta };
    },
  });
}
