import {
  isError,
  STORAGE_ENGINE,
  storageErrors,
  documentErrors,
  type CollectionName,
  type JsonObject,
  type MillraceError,
  type ScannedDocument,
  type StorageEngine,
  type WriteOperation,
} from '@millrace/kernel';
import { parseDeleteByQuery } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { CommitOptions } from '../documents/PlannedWrite.js';
import { DocumentCommits } from '../documents/DocumentCommits.js';
import { DocumentLimits } from '../rights/DocumentLimits.js';
import { complete, failureOf } from '../partialResults.js';
import { parsed, toRegisteredError } from '../toRegisteredError.js';

/** The progress of a deletion. */
interface Removed {
  readonly ids: string[];
  /** The deletions that pipes of plugins refused. */
  readonly refused: JsonObject[];
}

/** document.deleteByQuery (SEARCH-4). */
@scoped(Scope.ContainerScoped)
export class QueryDeletion {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(DocumentLimits) private readonly limits: DocumentLimits,
  ) {}

  /**
   * Removes every document that matches at one moment, without a window limit; documents changed in the meantime are
   * kept.
   * @returns the ids of those removed; none in an absent collection of an existing index
   * @param signal cancels the search; a deletion that has begun is completed
   * @throws query.* (400), also for an empty query; storage.index_not_found; document.partial_failure (206) if pipes
   *   refused some deletions
   */
  async delete(
    name: CollectionName,
    body: JsonObject,
    options: CommitOptions,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    const query = parsed(() => parseDeleteByQuery(body));
    const visible = await this.limits.visible(query, 'deleteByQuery', name, options.request);
    const removed: Removed = { ids: [], refused: [] };
    try {
      for await (const batch of this.engine.scan(name, visible, { signal })) {
        await this.deleteBatch(name, batch, { options, removed });
      }
    } catch (error) {
      if (isError(error, storageErrors.collection_not_found)) return removed.ids;
      throw toRegisteredError(error);
    }
    // Once at the end: waiting for a refresh after each batch would take seconds on Elasticsearch.
    if (options.refresh && removed.ids.length > 0) await this.engine.refresh(name.index);
    const { ids, refused } = removed;
    complete({ hits: ids, ids }, refused, refused.length + ids.length);
    return ids;
  }

  private async deleteBatch(
    { index, collection }: CollectionName,
    batch: readonly ScannedDocument[],
    { options, removed }: { options: CommitOptions; removed: Removed },
  ): Promise<void> {
    const operations = batch.map(({ id, version: condition }): WriteOperation => ({
      index,
      collection,
      kind: 'delete',
      id,
      condition,
    }));
    if (operations.length === 0) return;
    const outcomes = await this.commits.commit(operations, { ...options, refresh: false });
    outcomes.forEach((outcome, i) => {
      const _id = operations[i]?.id ?? '';
      if (outcome.status !== 'failed') removed.ids.push(_id);
      else if (!lostRace(outcome.error)) {
        if (outcome.error.id.startsWith('storage.')) throw outcome.error;
        removed.refused.push(failureOf({ _id }, outcome.error));
      }
    });
  }
}

/** Another writer has changed or removed it since the scan. */
function lostRace({ id }: MillraceError): boolean {
  return (
    id === documentErrors.version_conflict.id ||
    id === documentErrors.not_found.id ||
    id === storageErrors.collection_not_found.id
  );
}
