import { defineAction, readPrecondition, route, type ActionDefinition } from '@millrace/kernel';
import type { DocumentStore } from '../documents/DocumentStore.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { underPrecondition, versionAsked } from '../documents/underPrecondition.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, documentId: _id, refresh, silent, ifVersion } = storageArguments;

const PRECONDITIONS = ['version', 'present'] as const;

/** document.replace */
export function replaceDocument(documents: DocumentStore): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'replace',
    summary: 'Replaces the content of a document that exists.',
    routes: [route('PUT /:index/:collection/:_id/_replace')],
    args: { index, collection, _id, refresh, silent, ifVersion },
    bodyRequired: true,
    content: storageSchemas.document,
    result: storageSchemas.writtenOrReplaced,
    writes: true,
    subject: 'stored',
    setsVersion: true,
    preconditions: PRECONDITIONS,
    run: async ({ request, args, body: source }) => {
      const name = nameOf(args);
      const options = toCommitOptions(request, args);
      const write = { name, id: args._id, source, ...options };
      const precondition = readPrecondition(request, PRECONDITIONS);
      const ifVersion = versionAsked(precondition, args.ifVersion);
      const replaced = await underPrecondition({ name, id: args._id, precondition }, () =>
        documents.replace(write, ifVersion),
      );
      request.version = replaced.version;
      return {
        _id: replaced.id,
        _source: replaced.source,
        _meta: replaced.meta,
        _version: replaced.version,
        created: false,
      };
    },
  });
}
