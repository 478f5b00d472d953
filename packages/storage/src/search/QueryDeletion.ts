import {
  MillraceError,
  STORAGE_ENGINE,
  storageErrors,
  documentErrors,
  type ChangeOrigin,
  type CollectionName,
  type JsonObject,
  type ScannedDocument,
  type StorageEngine,
  type WriteOperation,
} from '@millrace/kernel';
import { parseDeleteByQuery } from '@millrace/query';
import { inject, injectable } from 'tsyringe';
import type { CommitOptions } from '../documents/CommitOptions.js';
import { DocumentCommits } from '../documents/DocumentCommits.js';
import { parsed, toRegisteredError } from '../toRegisteredError.js';

/** document.deleteByQuery (query-language.md section 1). */
@injectable()
export class QueryDeletion {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
  ) {}

  /**
   * Removes every document that matches at one moment, without window limit; one that was changed meanwhile is kept.
   * @returns the ids of those removed; none in an absent collection of an existing index
   * @param signal cancels the search; a deletion that has begun is completed
   * @throws query.* (400), also for an empty query; storage.index_not_found
   */
  async delete(
    name: CollectionName,
    body: JsonObject,
    { refresh, origin }: CommitOptions,
    signal?: AbortSignal,
  ): Promise<readonly string[]> {
    const query = parsed(() => parseDeleteByQuery(body));
    const removed: string[] = [];
    try {
      for await (const batch of this.engine.scan(name, query, { signal })) {
        removed.push(...(await this.deleteBatch(name, batch, origin)));
      }
    } catch (error) {
      if (isError(error, storageErrors.collection_not_found.id)) return removed;
      throw toRegisteredError(error);
    }
    // Once at the end: to wait for a refresh after each batch would take seconds on a server.
    if (refresh && removed.length > 0) await this.engine.refresh(name.index);
    return removed;
  }

  private async deleteBatch(
    { index, collection }: CollectionName,
    batch: readonly ScannedDocument[],
    origin: ChangeOrigin | null,
  ): Promise<readonly string[]> {
    const operations = batch.map(({ id, version: condition }): WriteOperation => ({
      index,
      collection,
      kind: 'delete',
      id,
      condition,
    }));
    if (operations.length === 0) return [];
    const options = { refresh: false, origin, userId: null };
    const outcomes = await this.commits.commit(operations, options);
    return outcomes.flatMap((outcome, i) => {
      if (outcome.status !== 'failed') return [operations[i]?.id ?? ''];
      if (isOvertaken(outcome.error)) return [];
      throw outcome.error;
    });
  }
}

/** Changed or removed by somebody else since the scan. */
function isOvertaken({ id }: MillraceError): boolean {
  return (
    id === documentErrors.version_conflict.id ||
    id === documentErrors.not_found.id ||
    id === storageErrors.collection_not_found.id
  );
}

function isError(error: unknown, id: string): boolean {
  return error instanceof MillraceError && error.id === id;
}
