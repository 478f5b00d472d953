import { client, type Fields } from '../connection.js';

/** The documents to change. */
export interface Chosen {
  readonly index: string;
  readonly collection: string;
  /** Those of the query, or those with these ids. */
  readonly target: { readonly query: Fields | undefined } | { readonly ids: readonly string[] };
}

/** How far a change of many documents is. */
export interface Progress {
  /** Documents that were changed. */
  readonly done: number;
  /** Documents that were not, also those that no longer match or were deleted by another user. */
  readonly left: number;
  /** The first refusals. */
  readonly errors: readonly { readonly _id?: string; readonly reason: string }[];
}

/** Documents of one request: a step of the progress, after which a change can be stopped. */
const SLICE = 500;
const MAX_ERRORS = 20;
/** The list is read afterwards: on Elasticsearch searches find changes later. */
const OPTIONS = { refresh: 'wait_for', timeoutMs: 120_000 } as const;

/**
 * Changes or deletes documents in slices of one request each. Those of a query are found first, and changed if they
 * still match.
 * @param changes fields to merge into each document; null: deletes them
 * @param signal ends it after the request that runs
 */
export async function changeMany(
  { index, collection, target }: Chosen,
  changes: Fields | null,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Progress> {
  const documents = client.collection(index, collection);
  const write = async (ids: readonly string[]) => {
    if ('ids' in target) {
      if (changes === null) return documents.mDelete(ids, OPTIONS);
      const items = ids.map((id) => ({ id, source: changes }));
      const { documents: changed, errors } = await documents.mUpdate(items, OPTIONS);
      return { ids: changed.map(({ id }) => id), errors };
    }
    const must = target.query === undefined ? [] : [target.query];
    const query = { bool: { must, filter: [{ ids: { values: ids } }] } } as never;
    return changes === null
      ? documents.deleteByQuery(query, OPTIONS)
      : documents.updateByQuery(query, changes, OPTIONS);
  };
  async function* idsOf(query: Fields | undefined) {
    const search = { ...(query && { query }), _source: false } as never;
    for await (const { id } of documents.scan(search)) yield id;
  }
  let progress: Progress = { done: 0, left: 0, errors: [] };
  for await (const slice of slicesOf('ids' in target ? target.ids : idsOf(target.query))) {
    if (signal.aborted) break;
    const { ids, errors } = await write(slice);
    progress = {
      done: progress.done + ids.length,
      left: progress.left + slice.length - ids.length,
      errors: [...progress.errors, ...errors].slice(0, MAX_ERRORS),
    };
    onProgress(progress);
  }
  return progress;
}

async function* slicesOf(ids: Iterable<string> | AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let slice: string[] = [];
  for await (const id of ids) {
    slice.push(id);
    if (slice.length < SLICE) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}
