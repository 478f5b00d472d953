import { collectionName, defineAction, indexName, route, type ActionDefinition } from '@millrace/kernel';
import type { BulkImporter } from '../batches/BulkImporter.js';
import { toCommitOptions } from '../documents/PlannedWrite.js';
import { storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { bulkData, refresh, silent } = storageArguments;

/** Maximum of one import (PROTO-22). */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Each line takes a few hundred bytes while it is written, however short it is. */
const MAX_LINES = 1_000_000;

/** bulk.import: on the global route, each action line names its collection. */
export function importBulk(bulk: BulkImporter): ActionDefinition {
  return defineAction({
    controller: 'bulk',
    action: 'import',
    summary: 'Applies many writes in their order; 206 when some fail.',
    routes: [
      route('POST /:index/:collection/_bulk'),
      route('POST /_bulk'),
      // Each action line names its collection; the call is authorised at `<index>`/`*`.
      route('POST /:index/_bulk'),
    ],
    args: { index: indexName(), collection: collectionName(), bulkData, refresh, silent },
    result: storageSchemas.bulk,
    mayFailInPart: true,
    writes: true,
    effect: 'createsCollection',
    largeBody: { maxBytes: MAX_BODY_BYTES, list: 'bulkData', maxItems: MAX_LINES },
    run: ({ request, args }) =>
      bulk.import({
        index: args.index ?? null,
        collection: args.collection ?? null,
        bulkData: args.bulkData,
        ...toCommitOptions(request, args),
      }),
  });
}
