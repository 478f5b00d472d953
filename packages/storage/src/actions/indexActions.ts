import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { IndexCatalog } from '../indexes/IndexCatalog.js';
import type { NewIndexArgument } from '../IndexNames.js';
import { toCommitOptions } from '../documents/PlannedWrite.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, indexes, silent, autoRefresh } = storageArguments;
const controller = 'index';
const acknowledged = { acknowledged: true };

/** The actions of the controller index. */
export function indexActions(catalog: IndexCatalog, newIndex: NewIndexArgument): readonly ActionDefinition[] {
  return [
    defineAction({
      controller,
      action: 'create',
      summary: 'Creates an index; 409 when it exists.',
      routes: [route('PUT /:index')],
      args: { index: newIndex },
      result: storageSchemas.acknowledged,
      writes: true,
      effect: 'createsIndex',
      run: async ({ args }) => {
        await catalog.create(args.index);
        return acknowledged;
      },
    }),
    defineAction({
      controller,
      action: 'delete',
      summary: 'Deletes an index with its collections and documents.',
      routes: [route('DELETE /:index')],
      args: { index, silent },
      result: storageSchemas.acknowledged,
      writes: true,
      effect: 'deletesIndex',
      run: async ({ request, args }) => {
        await catalog.delete(args.index, toCommitOptions(request, args));
        return acknowledged;
      },
    }),
    defineAction({
      controller,
      action: 'exists',
      summary: 'Tells whether an index exists.',
      routes: [route('GET /:index/_exists')],
      args: { index },
      result: storageSchemas.boolean,
      writes: false,
      run: ({ args }) => catalog.exists(args.index),
    }),
    defineAction({
      controller,
      action: 'getAutoRefresh',
      summary: 'Tells whether each write to the index is followed by a refresh.',
      routes: [route('GET /:index/_autoRefresh')],
      args: { index },
      result: storageSchemas.boolean,
      writes: false,
      run: ({ args }) => catalog.getAutoRefresh(args.index),
    }),
    defineAction({
      controller,
      action: 'setAutoRefresh',
      summary: 'Sets whether each write to the index is followed by a refresh.',
      routes: [route('POST /:index/_autoRefresh')],
      args: { index, autoRefresh },
      result: storageSchemas.boolean,
      writes: true,
      run: async ({ args }) => {
        await catalog.setAutoRefresh(args.index, args.autoRefresh);
        return args.autoRefresh;
      },
    }),
    defineAction({
      controller,
      action: 'list',
      summary: 'Lists the indexes by name.',
      routes: [route('GET /_list')],
      args: {},
      result: storageSchemas.indexes,
      writes: false,
      run: async () => {
        const hits = await catalog.list();
        // `indexes` repeats `hits` for older clients (DOC-50).
        return { total: hits.length, hits, indexes: hits };
      },
    }),
    defineAction({
      controller,
      action: 'mDelete',
      summary: 'Deletes the named indexes, or all of them where none is named.',
      routes: [route('DELETE /_mDelete')],
      args: { indexes, silent },
      result: storageSchemas.deletedIndexes,
      writes: true,
      effect: 'deletesIndex',
      authorizesItself: true,
      run: async ({ request, args }) => ({
        deleted: await catalog.deleteMany(args.indexes ?? [], request, toCommitOptions(request, args)),
      }),
    }),
    defineAction({
      controller,
      action: 'refresh',
      summary: 'Makes all documents of the index visible to search at once.',
      routes: [route('POST /:index/_refresh')],
      args: { index },
      result: storageSchemas.shards,
      writes: false,
      run: async ({ args }) => {
        const shardCount = await catalog.refresh(args.index);
        return { _shards: { failed: 0, successful: shardCount, total: shardCount } };
      },
    }),
    // The internal index can't be named in a request.
    defineAction({
      controller,
      action: 'refreshInternal',
      summary: 'Makes users, profiles and roles visible to search at once; for administrators.',
      routes: [route('GET /_refreshInternal')],
      args: {},
      result: storageSchemas.acknowledged,
      writes: false,
      run: async () => {
        await catalog.refreshInternal();
        return acknowledged;
      },
    }),
  ];
}
