import { defineAction, readPrecondition, route, type ActionDefinition } from '@millrace/kernel';
import type { NewIndexArgument } from '../catalog/IndexNames.js';
import type { DocumentStore } from '../documents/DocumentStore.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { collection, optionalDocumentId: _id, refresh, silent } = storageArguments;

/** document.create */
export function createDocument(documents: DocumentStore, index: NewIndexArgument): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'create',
    summary: 'Creates a document under the given or a generated id; 409 when it exists.',
    routes: [
      route('POST /:index/:collection/_create'),
      route('PUT /:index/:collection/_create'),
      route('POST /:index/:collection/:_id/_create'),
      route('PUT /:index/:collection/:_id/_create'),
    ],
    args: { index, collection, _id, refresh, silent },
    bodyRequired: true,
    content: storageSchemas.document,
    result: storageSchemas.written,
    writes: true,
    effect: 'createsCollection',
    subject: 'sent',
    setsVersion: true,
    // The action itself guarantees this condition.
    preconditions: ['absent'],
    run: async ({ request, args, body: source }) => {
      const { _id: id } = args;
      const name = nameOf(args);
      const options = toCommitOptions(request, args);
      const write = { name, source, ...options };
      readPrecondition(request, ['absent']);
      const created = await documents.create(id === undefined ? write : { ...write, id });
      request.version = created.version;
      const { version: _version, source: _source, meta: _meta } = created;
      return { _id: created.id, _version, _source, _meta };
    },
  });
}
