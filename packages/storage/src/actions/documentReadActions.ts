import {
  alsoInBody,
  andThen,
  defineAction,
  JsonText,
  required,
  route,
  text,
  type ActionDefinition,
  type CollectionName,
  type JsonObject,
  type StoredDocument,
  type StoredText,
} from '@millrace/kernel';
import type { DocumentStore } from '../documents/DocumentStore.js';
import { metadataText } from '../documents/metadataText.js';
import type { DocumentLimits } from '../rights/DocumentLimits.js';
import type { DocumentSearch } from '../search/DocumentSearch.js';
import type { SearchExplanation } from '../search/SearchExplanation.js';
import { nameOf, storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, _id, from, size, scroll } = storageArguments;
const controller = 'document';

/** document.count, explain, search and scroll. */
export function documentSearchActions(
  search: DocumentSearch,
  explanation: SearchExplanation,
): readonly ActionDefinition[] {
  return [
    defineAction({
      controller,
      action: 'count',
      summary: 'Counts the documents that match.',
      routes: [route('POST /:index/:collection/_count')],
      args: { index, collection },
      content: storageSchemas.query,
      result: storageSchemas.count,
      writes: false,
      queue: 'search',
      run: async ({ request, args, body }) => ({
        count: await search.count(nameOf(args), body, request),
      }),
    }),
    defineAction({
      controller,
      action: 'explain',
      summary: 'Explains how a search is understood, what its clauses cost, and how it could be kept up to date.',
      routes: [route('POST /:index/:collection/_explain')],
      args: { index, collection },
      content: storageSchemas.search,
      result: storageSchemas.explanation,
      writes: false,
      queue: 'search',
      run: ({ request, args, body }) => explanation.explain(nameOf(args), body, request),
    }),
    // `from` and `size` in the body are parsed with the rest of it.
    defineAction({
      controller,
      action: 'search',
      lists: 'documents',
      summary: 'Searches a collection; with `scroll`, opens a scroll.',
      routes: [route('POST /:index/:collection/_search')],
      args: { index, collection, from, size, scroll },
      content: storageSchemas.search,
      result: storageSchemas.searchResult,
      writes: false,
      queue: 'search',
      run: ({ request, args, body }) => search.search(nameOf(args), body, args, request),
    }),
    // The scroll determines its index and collection.
    defineAction({
      controller,
      action: 'scroll',
      summary: 'Gives the next page of a scroll.',
      routes: [route('POST /_scroll/:scrollId')],
      args: { scrollId: alsoInBody(required(text())), scroll },
      result: storageSchemas.searchResult,
      writes: false,
      queue: 'search',
      authorizesItself: true,
      run: ({ request, args }) => search.scroll(args.scrollId, args.scroll, request),
    }),
  ];
}

/** document.get: a hot path, so it returns a value rather than a promise, and the stored text, if the engine does. */
export function getDocument(documents: DocumentStore, limits: DocumentLimits): ActionDefinition {
  return defineAction({
    controller,
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
