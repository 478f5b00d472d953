import { defineAction, readPrecondition, route, type ActionDefinition } from '@millrace/kernel';
import type { DocumentStore } from '../documents/DocumentStore.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { underPrecondition, versionAsked } from '../documents/underPrecondition.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, _id, refresh, silent, ifVersion } = storageArguments;

const PRECONDITIONS = ['version', 'present'] as const;

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
    preconditions: PRECONDITIONS,
    run: async ({ request, args }) => {
      const name = nameOf(args);
      const options = toCommitOptions(request, args);
      const precondition = readPrecondition(request, PRECONDITIONS);
      const ifVersion = versionAsked(precondition, args.ifVersion);
      const condition = ifVersion === undefined ? {} : { ifVersion };
      await underPrecondition({ name, id: args._id, precondition }, () =>
        documents.delete(name, args._id, { ...options, ...condition }),
      );
      return { _id: args._id };
    },
  });
}
