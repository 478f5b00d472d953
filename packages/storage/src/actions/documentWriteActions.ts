import {
  alsoInBody,
  apiErrors,
  defineAction,
  didYouMean,
  isJsonObject,
  object,
  readArgument,
  readPrecondition,
  required,
  route,
  type ActionDefinition,
  type CheckedCollection,
  type DocumentId,
  type JsonObject,
  type JsonValue,
  type Precondition,
  type Request,
  type StoredDocument,
} from '@millrace/kernel';
import { own } from '@millrace/language';
import type { NewIndexArgument } from '../IndexNames.js';
import { toCommitOptions } from '../documents/PlannedWrite.js';
import type { DocumentStore, DocumentWrite, WrittenDocument } from '../documents/DocumentStore.js';
import { mergeDocument } from '../documents/mergeDocument.js';
import { underPrecondition, versionAsked } from '../documents/underPrecondition.js';
import type { QueryDeletion } from '../search/QueryDeletion.js';
import type { QueryUpdates } from '../search/QueryUpdates.js';
import { nameOf, storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, _id, documentId, optionalDocumentId, refresh, silent, ifVersion } = storageArguments;
const controller = 'document';
const doc = alsoInBody(required(object()));
/** Preconditions of writes that need an existing document, and of those that may create it. */
const EXISTING = ['version', 'present'] as const;
const ANY = ['version', 'present', 'absent'] as const;
const UPSERT_KEYS = ['doc', 'default'];

/** document.create, createOrReplace, replace, update, upsert and delete. */
export function documentWriteActions(
  documents: DocumentStore,
  newIndex: NewIndexArgument,
): readonly ActionDefinition[] {
  return [
    defineAction({
      controller,
      action: 'create',
      summary: 'Creates a document under the given or a generated id; 409 when it exists.',
      routes: [
        route('POST /:index/:collection/_create'),
        route('PUT /:index/:collection/_create'),
        route('POST /:index/:collection/:_id/_create'),
        route('PUT /:index/:collection/:_id/_create'),
      ],
      args: { index: newIndex, collection, _id: optionalDocumentId, refresh, silent },
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
        const write = { name: nameOf(args), source, ...toCommitOptions(request, args) };
        readPrecondition(request, ['absent']);
        return written(request, await documents.create(id === undefined ? write : { ...write, id }));
      },
    }),
    defineAction({
      controller,
      action: 'createOrReplace',
      summary: 'Creates a document, or replaces the one there is.',
      routes: [route('PUT /:index/:collection/:_id'), route('PUT /:index/:collection/:_id/_createOrReplace')],
      args: { index: newIndex, collection, _id: documentId, refresh, silent },
      bodyRequired: true,
      content: storageSchemas.document,
      result: storageSchemas.writtenOrReplaced,
      writes: true,
      effect: 'createsCollection',
      subject: 'storedOrSent',
      setsVersion: true,
      preconditions: ANY,
      run: async ({ request, args, body: source }) => {
        const target = { name: nameOf(args), id: args._id };
        const precondition = readPrecondition(request, ANY);
        const write = { ...target, source, ...toCommitOptions(request, args) };
        const put = () => putUnder(documents, write, precondition);
        const stored = await underPrecondition({ ...target, precondition }, put, true);
        return { ...written(request, stored), created: stored.isNew };
      },
    }),
    defineAction({
      controller,
      action: 'delete',
      summary: 'Deletes a document.',
      routes: [route('DELETE /:index/:collection/:_id')],
      args: { index, collection, _id, refresh, silent, ifVersion },
      result: storageSchemas.deleted,
      writes: true,
      subject: 'stored',
      preconditions: EXISTING,
      run: async ({ request, args }) => {
        const options = toCommitOptions(request, args);
        await writeExisting(request, args, (name, id, condition) =>
          documents.delete(name, id, { ...options, ...condition }),
        );
        return { _id: args._id };
      },
    }),
    defineAction({
      controller,
      action: 'replace',
      summary: 'Replaces the content of a document that exists.',
      routes: [route('PUT /:index/:collection/:_id/_replace')],
      args: { index, collection, _id: documentId, refresh, silent, ifVersion },
      bodyRequired: true,
      content: storageSchemas.document,
      result: storageSchemas.writtenOrReplaced,
      writes: true,
      subject: 'stored',
      setsVersion: true,
      preconditions: EXISTING,
      run: async ({ request, args, body: source }) => {
        const options = toCommitOptions(request, args);
        const replaced = await writeExisting(request, args, (name, id, condition) =>
          documents.replace({ name, id, source, ...options }, condition.ifVersion),
        );
        return { ...written(request, replaced), created: false };
      },
    }),
    defineAction({
      controller,
      action: 'update',
      summary: 'Merges the body into a document that exists.',
      routes: [route('PUT /:index/:collection/:_id/_update')],
      args: { index, collection, _id: documentId, refresh, silent, ifVersion },
      bodyRequired: true,
      content: storageSchemas.document,
      result: storageSchemas.written,
      writes: true,
      subject: 'stored',
      setsVersion: true,
      preconditions: EXISTING,
      run: async ({ request, args, body: changes }) => {
        const options = toCommitOptions(request, args);
        const updated = await writeExisting(request, args, (name, id, condition) =>
          documents.update({ name, id, changes, ...options, ...condition }),
        );
        return written(request, updated);
      },
    }),
    // DOC-15
    defineAction({
      controller,
      action: 'upsert',
      summary: 'Merges `doc` into a document, or creates `default` with `doc` merged into it.',
      routes: [route('POST /:index/:collection/:_id/_upsert')],
      args: { index: newIndex, collection, _id, refresh, silent },
      bodyRequired: true,
      content: storageSchemas.upsert,
      result: storageSchemas.writtenOrReplaced,
      writes: true,
      effect: 'createsCollection',
      subject: 'storedOrSent',
      setsVersion: true,
      sentDocument: ({ doc: changes, default: base }) => createdOf(isJsonObject(changes) ? changes : {}, base),
      run: async ({ request, args, body }) => {
        const changes = readUpsert(body);
        const created = createdOf(changes, body['default']);
        const upsert = { name: nameOf(args), id: args._id, changes, created, ...toCommitOptions(request, args) };
        const stored = await documents.upsert(upsert);
        return { ...written(request, stored), created: stored.isNew };
      },
    }),
  ];
}

/** document.deleteByQuery and updateByQuery (DOC-16). */
export function queryWriteActions(deletion: QueryDeletion, updates: QueryUpdates): readonly ActionDefinition[] {
  return [
    defineAction({
      controller,
      action: 'deleteByQuery',
      summary: 'Deletes every document that matches.',
      routes: [route('DELETE /:index/:collection/_query')],
      args: { index, collection, refresh, silent },
      content: storageSchemas.query,
      result: storageSchemas.deletedMany,
      mayFailInPart: true,
      writes: true,
      queue: 'search',
      run: async ({ request, args, body }) => {
        const hits = await deletion.delete(nameOf(args), body, toCommitOptions(request, args), request.signal);
        // `ids` repeats `hits` for older clients (DOC-50).
        return { hits, ids: hits };
      },
    }),
    defineAction({
      controller,
      action: 'updateByQuery',
      summary: 'Merges `doc` into every document that matches `query`.',
      routes: [route('PUT /:index/:collection/_byQuery')],
      args: { index, collection, doc, refresh, silent },
      bodyRequired: true,
      content: storageSchemas.query,
      result: storageSchemas.updatedMany,
      mayFailInPart: true,
      writes: true,
      queue: 'search',
      run: ({ request, args, body }) =>
        updates.update({
          name: nameOf(args),
          query: body,
          changes: args.doc,
          signal: request.signal,
          ...toCommitOptions(request, args),
        }),
    }),
  ];
}

/** The answer with a stored document. */
function written(request: Request, { id: _id, version, source: _source, meta: _meta }: StoredDocument) {
  request.version = version;
  return { _id, _version: version, _source, _meta };
}

/** Writes a document that exists, under the preconditions of the request. */
function writeExisting<T>(
  request: Request,
  args: CheckedCollection & { readonly _id: DocumentId; readonly ifVersion?: number | undefined },
  write: (name: CheckedCollection, id: DocumentId, condition: { readonly ifVersion?: number }) => Promise<T>,
): Promise<T> {
  const name = nameOf(args);
  const { _id: id } = args;
  const precondition = readPrecondition(request, EXISTING);
  const version = versionAsked(precondition, args.ifVersion);
  const condition = version === undefined ? {} : { ifVersion: version };
  return underPrecondition({ name, id, precondition }, () => write(name, id, condition));
}

function putUnder(
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

function createdOf(changes: JsonObject, base: JsonValue | undefined): JsonObject {
  return mergeDocument(isJsonObject(base) ? base : {}, changes);
}

/**
 * @returns `doc` @throws api.missing_argument, api.invalid_argument (400), including for unknown keys such as a
 *   misspelt `default`
 */
function readUpsert(body: JsonObject): JsonObject {
  const unknown = Object.keys(body)
    .find((key) => !UPSERT_KEYS.includes(key))
    ?.slice(0, 60);
  if (unknown !== undefined) {
    const expected = `"doc" and "default" alone${didYouMean(unknown, UPSERT_KEYS)}`;
    const value = `the key ${JSON.stringify(unknown)}`;
    throw apiErrors.invalid_argument({ name: 'body', value, expected });
  }
  readArgument('default', object(), own(body, 'default'));
  return readArgument('doc', required(object()), own(body, 'doc')) ?? {};
}
