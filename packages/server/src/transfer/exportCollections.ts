import { isJsonObject, type CollectionName, type JsonObject, type JsonValue } from '@millrace/kernel';
import { ActionError } from '../targets/ActionError.js';
import type { ActionTarget } from '../targets/ActionTarget.js';
import { valueAt } from '../valueAt.js';
import type { TransferRecord } from './TransferRecord.js';

/** Documents of a page: the page of the largest ordinary documents (1 MB) stays below what a result may have. */
const PAGE_SIZE = 50;
/** Longest time between two pages, when the reader of the export is slow. */
const SCROLL = '30m';

/** What is exported: everything, one index, or one collection. */
export interface ExportScope {
  readonly index?: string | undefined;
  readonly collection?: string | undefined;
}

/** A document as a search returns it. */
export interface ExportedDocument {
  readonly _id: string;
  readonly _source: JsonObject;
}

/**
 * Indexes and collections with their documents, as the user of the target may read them.
 * @param onDocuments called before the documents of a collection with their number
 */
export async function* exportCollections(
  target: ActionTarget,
  scope: ExportScope,
  onDocuments: (total: number) => void,
): AsyncGenerator<TransferRecord> {
  for (const index of await listIndexes(target, scope)) {
    yield { type: 'index', index };
    for (const collection of await listCollections(target, index, scope)) {
      const name = { index, collection };
      yield { type: 'collection', ...name, mapping: await readMapping(target, name) };
      for await (const document of exportDocuments(target, name, onDocuments)) yield { type: 'document', ...document };
      const specification = await readSpecification(target, name);
      if (specification !== null) yield { type: 'specification', ...name, specification };
    }
  }
}

/** All documents of a collection at one moment. @param onDocuments called before them with their number */
export async function* exportDocuments(
  target: ActionTarget,
  { index, collection }: CollectionName,
  onDocuments: (total: number) => void,
): AsyncGenerator<ExportedDocument> {
  const first = { index, collection, size: PAGE_SIZE, scroll: SCROLL, body: {} };
  let page = (await target.execute('document', 'search', first)) as unknown as Page;
  onDocuments(page.total);
  while (page.hits.length > 0) {
    for (const { _id, _source } of page.hits) yield { _id, _source };
    const next = { scrollId: page._scroll_id, scroll: SCROLL };
    page = (await target.execute('document', 'scroll', next)) as unknown as Page;
  }
}

/** @returns null if the user may not read it */
export function readMapping(target: ActionTarget, { index, collection }: CollectionName): Promise<JsonObject | null> {
  const read = target.execute('collection', 'getMapping', { index, collection });
  return orNull(read, index, 'mappings', collection);
}

function readSpecification(target: ActionTarget, { index, collection }: CollectionName): Promise<JsonObject | null> {
  const read = target.execute('collection', 'getSpecifications', { index, collection });
  return orNull(read, 'validation');
}

interface Page {
  readonly hits: readonly ExportedDocument[];
  readonly total: number;
  readonly _scroll_id: string;
}

/** The index of the scope, or all that the user may see. */
export async function listIndexes(target: ActionTarget, { index }: ExportScope = {}): Promise<string[]> {
  if (index !== undefined) return [index];
  return ((await target.execute('index', 'list')) as { indexes: string[] }).indexes;
}

/** The collection of the scope, or all of the index that the user may see. */
export async function listCollections(
  target: ActionTarget,
  index: string,
  { collection }: ExportScope = {},
): Promise<readonly string[]> {
  if (collection !== undefined) return [collection];
  const listed = await target.execute('collection', 'list', { index, type: 'stored' });
  const { collections } = listed as unknown as { collections: { name: string }[] };
  return collections.map(({ name }) => name);
}

async function orNull(read: Promise<JsonValue>, ...path: readonly string[]): Promise<JsonObject | null> {
  try {
    const found = valueAt(await read, ...path);
    return isJsonObject(found) ? found : null;
  } catch (error) {
    const isAbsent = error instanceof ActionError && [401, 403, 404].includes(error.status);
    if (isAbsent) return null;
    throw error;
  }
}
