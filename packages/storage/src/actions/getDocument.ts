import {
  andThen,
  defineAction,
  JsonText,
  route,
  type ActionDefinition,
  type CollectionName,
  type JsonObject,
  type StoredDocument,
  type StoredText,
} from '@millrace/kernel';
import type { DocumentStore } from '../documents/DocumentStore.js';
import { metadataText } from '../documents/metadataText.js';
import type { DocumentLimits } from '../rights/DocumentLimits.js';
import { nameOf } from './nameOf.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, _id } = storageArguments;

/** document.get: a hot path, so it returns a value rather than a promise, and the stored text, if the engine does. */
export function getDocument(documents: DocumentStore, limits: DocumentLimits): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'get',
    summary: 'Gives a document.',
    routes: [route('GET /:index/:collection/:_id')],
    args: { index, collection, _id },
    result: storageSchemas.storedDocument,
    writes: false,
    subject: 'stored',
    setsVersion: true,
    run: ({ request, args }) => {
      const name = nameOf(args);
      const { _id: id } = args;
      return andThen(limits.of(request, 'get', name, id), (right) => {
        const text = documents.getText(name, id, right);
        if (text !== undefined) {
          return andThen(text, (found) => {
            request.version = found.version;
            return toText(name, found);
          });
        }
        return andThen(documents.get(name, id, right), (found) => {
          request.version = found.version;
          return toResult(name, found);
        });
      });
    },
  });
}

function toResult(name: CollectionName, { id, version, source, meta }: StoredDocument): JsonObject {
  return {
    _id: id,
    _index: name.index,
    _type: name.collection,
    _version: version,
    _source: source,
    _meta: meta,
  };
}

/** The text of `toResult`. Validated names need no escapes (DOC-1, DOC-3). */
function toText({ index, collection }: CollectionName, { id, version, json, meta }: StoredText): JsonText {
  return new JsonText(
    `{"_id":${JSON.stringify(id)},"_index":"${index}","_type":"${collection}"` +
      `,"_version":${version},"_source":${json},"_meta":${metadataText(meta)}}`,
  );
}
