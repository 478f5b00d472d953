/*
 * document.updateByQuery (DOC-16): every document that matches at one moment is read, merged and written, in small
 * groups. A document that another writer has changed in the meantime is merged again, as in `document.update`; one that
 * was removed in the meantime is skipped.
 */
import {
  documentErrors,
  isError,
  STORAGE_ENGINE,
  storageErrors,
  toDocumentId,
  type CollectionName,
  type JsonObject,
  type MillraceError,
  type ScannedDocument,
  type StorageEngine,
} from '@millrace/kernel';
import { parseUpdateByQuery } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { assertContent } from '../documents/assertContent.js';
import type { CommitOptions } from '../documents/PlannedWrite.js';
import { DocumentCommits } from '../documents/DocumentCommits.js';
import { WritePlans } from '../documents/WritePlans.js';
import { DocumentLimits } from '../rights/DocumentLimits.js';
import type { WriteGuard } from '../rights/WriteGuard.js';
import { WriteGuards } from '../rights/WriteGuards.js';
import { complete, failureOf } from '../partialResults.js';
import { parsed, toRegisteredError } from '../toRegisteredError.js';

/** Documents in memory at once: each may be as large as a request. */
const GROUP_SIZE = 64;
/** A longer list would be useless; further errors are only counted. */
const MAX_LISTED_ERRORS = 10_000;

/** An update of all matching documents. */
export interface QueryUpdate extends CommitOptions {
  readonly name: CollectionName;
  readonly query: JsonObject;
  /** The changes to merge into each of them. */
  readonly changes: JsonObject;
  /** Cancels the search; an update that has begun is completed. */
  readonly signal?: AbortSignal;
}

/** The progress of an update. */
interface Progress {
  readonly hits: string[];
  readonly errors: JsonObject[];
  errorCount: number;
}

/** Updates by query. */
@scoped(Scope.ContainerScoped)
export class QueryUpdates {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(WritePlans) private readonly plans: WritePlans,
    @inject(DocumentLimits) private readonly limits: DocumentLimits,
    @inject(WriteGuards) private readonly guards: WriteGuards,
  ) {}

  /**
   * @returns `{hits, errors: []}`: the ids of all updated documents, including those that didn't change; none in an
   *   absent collection of an existing index
   * @throws document.partial_failure (206) with both lists as result; query.* (400), also for an empty query;
   *   document.reserved_key (400), storage.index_not_found
   */
  async update(update: QueryUpdate): Promise<JsonObject> {
    const { name, signal, refresh } = update;
    assertContent(update.changes);
    const query = parsed(() => parseUpdateByQuery(update.query));
    const visible = await this.limits.visible(query, 'updateByQuery', name, update.request);
    const guard = await this.guards.of(update.request, 'updateByQuery', name, null);
    const progress: Progress = { hits: [], errors: [], errorCount: 0 };
    try {
      for await (const batch of this.engine.scan(name, visible, { signal })) {
        for (let at = 0; at < batch.length; at += GROUP_SIZE) {
          await this.updateGroup(update, guard, batch.slice(at, at + GROUP_SIZE), progress);
        }
      }
    } catch (error) {
      if (!isAbsence(error)) throw toRegisteredError(error);
    }
    if (refresh && progress.hits.length > 0) await this.engine.refresh(name.index);
    const { hits, errors, errorCount } = progress;
    return complete({ hits, errors }, errors, hits.length + errorCount, errorCount);
  }

  private async updateGroup(
    { name, changes, origin, request }: QueryUpdate,
    guard: WriteGuard | null,
    group: readonly ScannedDocument[],
    progress: Progress,
  ): Promise<void> {
    const ids = group.map(({ id }) => toDocumentId(id));
    const plans = ids.map((id) => this.plans.update({ name, id }, changes, guard));
    const outcomes = await this.commits.commit(plans, { refresh: false, origin, request });
    for (const [at, outcome] of outcomes.entries()) {
      const id = ids[at] ?? '';
      if (outcome.status !== 'failed') progress.hits.push(id);
      // Another writer has removed it, or taken it out of this writer's view, since the scan.
      else if (!isAbsence(outcome.error)) fail(progress, id, outcome.error);
    }
  }
}

/** @throws the error if the document isn't its cause: the store can't be reached */
function fail(progress: Progress, _id: string, error: MillraceError): void {
  if (error.status >= 500) throw error;
  progress.errorCount++;
  if (progress.errors.length === MAX_LISTED_ERRORS) return;
  progress.errors.push(failureOf({ _id }, error));
}

function isAbsence(error: unknown): boolean {
  return isError(error, documentErrors.not_found) || isError(error, storageErrors.collection_not_found);
}
