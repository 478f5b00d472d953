import { defineAction, route, type ActionDefinition } from '@millrace/kernel';
import type { MultiDocuments, MultiWriteKind } from '../batches/MultiDocuments.js';
import type { NewIndexArgument } from '../IndexNames.js';
import { toCommitOptions } from '../documents/PlannedWrite.js';
import { nameOf, storageArguments } from './storageArguments.js';
import { storageSchemas } from './storageSchemas.js';

const { index, collection, documents, ids, refresh, silent } = storageArguments;

type Row = readonly [action: string, method: 'POST' | 'PUT', kind: MultiWriteKind, summary: string];

const ROWS: readonly Row[] = [
  ['mCreate', 'POST', 'create', 'Creates several documents.'],
  ['mCreateOrReplace', 'PUT', 'index', 'Creates or replaces several documents.'],
  ['mReplace', 'PUT', 'replace', 'Replaces several documents that exist.'],
  ['mUpdate', 'PUT', 'update', 'Merges changes into several documents that exist.'],
];

/** document.mGet, mCreate, mCreateOrReplace, mReplace, mUpdate and mDelete. */
export function manyDocumentsActions(many: MultiDocuments, newIndex: NewIndexArgument): readonly ActionDefinition[] {
  return [getting(many), ...ROWS.map((row) => writing(row, many, newIndex)), deleting(many)];
}

function getting(many: MultiDocuments): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'mGet',
    summary: 'Gives several documents.',
    routes: [route('POST /:index/:collection/_mGet')],
    args: { index, collection, ids },
    result: storageSchemas.manyWritten,
    mayFailInPart: true,
    writes: false,
    run: ({ request, args }) => many.get(nameOf(args), args.ids, request),
  });
}

function writing(
  [action, method, kind, summary]: Row,
  many: MultiDocuments,
  newIndex: NewIndexArgument,
): ActionDefinition {
  const isCreator = kind === 'create' || kind === 'index';
  return defineAction({
    controller: 'document',
    action,
    summary,
    routes: [route(`${method} /:index/:collection/_${action}`)],
    args: { index: isCreator ? newIndex : index, collection, documents, refresh, silent },
    result: storageSchemas.manyWritten,
    mayFailInPart: true,
    writes: true,
    ...(isCreator && { effect: 'createsCollection' }),
    run: ({ request, args }) => many.write(kind, nameOf(args), args.documents, toCommitOptions(request, args)),
  });
}

function deleting(many: MultiDocuments): ActionDefinition {
  return defineAction({
    controller: 'document',
    action: 'mDelete',
    summary: 'Deletes several documents.',
    routes: [route('DELETE /:index/:collection/_mDelete')],
    args: { index, collection, ids, refresh, silent },
    result: storageSchemas.manyDeleted,
    mayFailInPart: true,
    writes: true,
    run: ({ request, args }) => many.delete(nameOf(args), args.ids, toCommitOptions(request, args)),
  });
}
