import {
  apiErrors,
  defineAction,
  didYouMean,
  isJsonObject,
  object,
  readArgument,
  required,
  route,
  type ActionDefinition,
  type JsonObject,
  type JsonValue,
} from '@millrace/kernel';
import { own } from '@millrace/language';
import type { NewIndexArgument } from '../catalog/IndexNames.js';
import { toCommitOptions } from '../documents/CommitOptions.js';
import type { DocumentStore } from '../documents/DocumentStore.js';
import { mergeDocument } from '../documents/mergeDocument.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { collection, _id, refresh, silent } = storageArguments;
const KEYS = ['doc', 'default'];

/** document.upsert (DOC-15). */
export function upsertDocument(documents: DocumentStore, index: NewIndexArgument): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'upsert',
    summary: 'Merges `doc` into a document, or creates `default` with `doc` merged into it.',
    routes: [route('POST /:index/:collection/:_id/_upsert')],
    args: { index, collection, _id, refresh, silent },
    bodyRequired: true,
    content: storageSchemas.upsert,
    result: storageSchemas.writtenOrReplaced,
    writes: true,
    effect: 'createsCollection',
    subject: 'storedOrSent',
    setsVersion: true,
    sentDocument: ({ doc, default: base }) => createdOf(isJsonObject(doc) ? doc : {}, base),
    run: async ({ request, args, body }) => {
      const changes = readBody(body);
      const name = nameOf(args);
      const options = toCommitOptions(request, args);
      const created = createdOf(changes, body['default']);
      const written = await documents.upsert({ name, id: args._id, changes, created, ...options });
      const { id, version, source, meta, isNew } = written;
      request.version = version;
      return { _id: id, _version: version, _source: source, _meta: meta, created: isNew };
    },
  });
}

function createdOf(changes: JsonObject, base: JsonValue | undefined): JsonObject {
  return mergeDocument(isJsonObject(base) ? base : {}, changes);
}

/**
 * @returns `doc` @throws api.missing_argument, api.invalid_argument (400), including for unknown keys such as a
 *   misspelt `default`
 */
function readBody(body: JsonObject): JsonObject {
  const unknown = Object.keys(body)
    .find((key) => !KEYS.includes(key))
    ?.slice(0, 60);
  if (unknown !== undefined) {
    const expected = `"doc" and "default" alone${didYouMean(unknown, KEYS)}`;
    const value = `the key ${JSON.stringify(unknown)}`;
    throw apiErrors.invalid_argument({ name: 'body', value, expected });
  }
  readArgument('default', object(), own(body, 'default'));
  return readArgument('doc', required(object()), own(body, 'doc')) ?? {};
}
