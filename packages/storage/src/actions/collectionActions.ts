import { alsoInBody, apiErrors, boolean, defineAction, oneOf, route, type ActionDefinition } from '@millrace/kernel';
import type { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import type { CollectionRemoval } from '../indexes/CollectionRemoval.js';
import type { NewIndexArgument } from '../IndexNames.js';
import { toCommitOptions } from '../documents/PlannedWrite.js';
import { nameOf, storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, silent } = storageArguments;
// Also allowed in the body, which has no content for this action (PROTO-5).
const type = alsoInBody(oneOf('all', 'stored', 'realtime'));
const from = alsoInBody(storageArguments.from);
const size = alsoInBody(storageArguments.size);

const controller = 'collection';
const acknowledged = { acknowledged: true };

const REMOVALS = [
  ['delete', 'DELETE /:index/:collection', 'Deletes a collection with its documents.'],
  ['truncate', 'DELETE /:index/:collection/_truncate', 'Removes every document of a collection and keeps its mapping.'],
] as const;

/** The actions of the controller collection, without those of specifications. */
export function collectionActions(
  collections: CollectionCatalog,
  removal: CollectionRemoval,
  newIndex: NewIndexArgument,
): readonly ActionDefinition[] {
  return [
    defineAction({
      controller,
      action: 'create',
      summary: 'Creates a collection, with a mapping if one is given; does nothing when it exists.',
      routes: [route('PUT /:index/:collection')],
      args: { index: newIndex, collection },
      content: storageSchemas.mappingBody,
      result: storageSchemas.acknowledged,
      writes: true,
      effect: 'createsCollection',
      run: async ({ args, body }) => {
        await collections.create(nameOf(args), body);
        return acknowledged;
      },
    }),
    // Checks stored collections; false in an absent index.
    defineAction({
      controller,
      action: 'exists',
      summary: 'Tells whether a stored collection exists.',
      routes: [route('GET /:index/:collection/_exists')],
      args: { index, collection },
      result: storageSchemas.boolean,
      writes: false,
      run: ({ args }) => collections.exists(nameOf(args)),
    }),
    defineAction({
      controller,
      action: 'getMapping',
      summary: 'Gives the mapping of a collection in current terms.',
      routes: [route('GET /:index/:collection/_mapping')],
      args: { index, collection },
      result: storageSchemas.mappings,
      writes: false,
      run: async ({ request, args }) => {
        const mapping = await collections.getMapping(nameOf(args), request);
        return { [args.index]: { mappings: { [args.collection]: mapping } } };
      },
    }),
    defineAction({
      controller,
      action: 'updateMapping',
      summary:
        'Merges a mapping into that of a collection, which is created when absent; `dryRun`: only checks whether it can be.',
      routes: [route('PUT /:index/:collection/_mapping')],
      args: { index: newIndex, collection, dryRun: boolean() },
      bodyRequired: true,
      content: storageSchemas.mappingBody,
      result: storageSchemas.empty,
      writes: true,
      effect: 'createsCollection',
      run: async ({ args, body }) => {
        if ((body['properties'] ?? null) === null) {
          throw apiErrors.missing_argument({ name: 'properties', expected: 'an object of fields' });
        }
        if (args.dryRun === true) await collections.checkMapping(nameOf(args), body);
        else await collections.updateMapping(nameOf(args), body);
        return {};
      },
    }),
    defineAction({
      controller,
      action: 'list',
      lists: 'collections',
      summary: 'Lists the collections of an index by name.',
      routes: [route('GET /:index/_list'), route('GET /:index/_list/:type')],
      args: { index, type, from, size },
      result: storageSchemas.collections,
      writes: false,
      run: async ({ args }) => {
        const { type: listType = 'all', from: first, size: count } = args;
        const listed = await collections.list(args.index, listType);
        const start = first ?? 0;
        const page = listed.slice(start, count === undefined ? undefined : start + count);
        return {
          collections: page.map(({ name, type: kind }) => ({ name, type: kind })),
          type: listType,
          // Repeated if the request has them.
          ...(first === undefined ? {} : { from: first }),
          ...(count === undefined ? {} : { size: count }),
        };
      },
    }),
    defineAction({
      controller,
      action: 'eraseHistory',
      summary:
        'Removes the recorded changes of a collection, with the content of deleted documents; subscriptions can not resume from before.',
      routes: [route('DELETE /:index/:collection/_history')],
      args: { index, collection },
      result: storageSchemas.acknowledged,
      writes: true,
      run: async ({ args }) => {
        await collections.eraseHistory(nameOf(args));
        return acknowledged;
      },
    }),
    ...REMOVALS.map(([action, path, summary]) =>
      defineAction({
        controller,
        action,
        summary,
        routes: [route(path)],
        args: { index, collection, silent },
        result: storageSchemas.acknowledged,
        writes: true,
        effect: 'deletesCollection',
        run: async ({ request, args }) => {
          await removal[action](nameOf(args), toCommitOptions(request, args));
          return acknowledged;
        },
      }),
    ),
  ];
}
