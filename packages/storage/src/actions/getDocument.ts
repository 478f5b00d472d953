import {
  defineAction,
  isThenable,
  route,
  toCollectionName,
  type ActionDefinition,
  type CollectionName,
  type JsonObject,
  type StoredDocument,
} from '@millrace/kernel';
import type { DocumentStore } from '../documents/DocumentStore.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, _id } = storageArguments;

/** document.get: answers with a value where the engine does, as it is a hot path. */
export function getDocument(documents: DocumentStore): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'get',
    summary: 'Gives a document.',
    routes: [route('GET /:index/:collection/:_id')],
    args: { index, collection, _id },
    result: storageSchemas.storedDocument,
    writes: false,
    subject: 'stored',
    run: ({ args }) => {
      const name = toCollectionName(args.index, args.collection);
      const found = documents.get(name, args._id);
      return isThenable(found)
        ? found.then((document) => toResult(name, document))
        : toResult(name, found);
    },
  });
}

function toResult(name: CollectionName, { id, version, source }: StoredDocument): JsonObject {
  return {
    _id: id,
    _index: name.index,
    _type: name.collection,
    _version: version,
    _source: source,
  };
}
