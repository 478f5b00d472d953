import { defineAction, readPrecondition, route, type ActionDefinition, type Precondition } from '@millrace/kernel';
import type { NewIndexArgument } from '../catalog/IndexNames.js';
import type { DocumentStore, DocumentWrite, WrittenDocument } from '../documents/DocumentStore.js';
import { underPrecondition } from '../documents/underPrecondition.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { collection, documentId: _id, refresh, silent } = storageArguments;

const PRECONDITIONS = ['version', 'present', 'absent'] as const;

/** document.createOrReplace */
export function createOrReplaceDocument(documents: DocumentStore, index: NewIndexArgument): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'createOrReplace',
    summary: 'Creates a document, or replaces the one there is.',
    routes: [route('PUT /:index/:collection/:_id'), route('PUT /:index/:collection/:_id/_createOrReplace')],
    args: { index, collection, _id, refresh, silent },
    bodyRequired: true,
    content: storageSchemas.document,
    result: storageSchemas.writtenOrReplaced,
    writes: true,
    effect: 'createsCollection',
    subject: 'storedOrSent',
    setsVersion: true,
    preconditions: PRECONDITIONS,
    run: async ({ request, args, body: source }) => {
      const name = nameOf(args);
      const precondition = readPrecondition(request, PRECONDITIONS);
      const write = { name, id: args._id, source, ...toCommitOptions(request, args) };
      const written = await underPrecondition(
        { name, id: args._id, precondition },
        () => writeOf(documents, write, precondition),
        true,
      );
      const { id, version, isNew, meta, source: stored } = written;
      request.version = version;
      return { _id: id, _source: stored, _meta: meta, _version: version, created: isNew };
    },
  });
}

function writeOf(
  documents: DocumentStore,
  write: DocumentWrite,
  precondition: Precondition | null,
): Promise<WrittenDocument> {
  switch (precondition?.kind) {
    case undefined:
      return documents.createOrReplace(write);
    case 'absent':
      return documents.create(write);
    case 'present':
      return documents.replace(write);
    case 'version':
      return documents.replace(write, precondition.version);
  }
}
