/*
 * document.updateByQuery (DOC-16): every document that matches at one moment is read, merged and written, in small
 * groups. A document that another writer has changed in the meantime is merged again, as in `document.update`; one that
 * was removed in the meantime is skipped.
 */
import {
  documentErrors,
  isThenable,
  MillraceError,
  STORAGE_ENGINE,
  storageErrors,
  toDocumentId,
  type CollectionName,
  type JsonObject,
  type ScannedDocument,
  type StorageEngine,
  type StoredDocument,
  type WriteOutcome,
} from '@millrace/kernel';
import { parseUpdateByQuery } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { assertContent } from '../documents/assertContent.js';
import { ContentAdmission } from '../documents/ContentAdmission.js';
import type { CommitOptions } from '../documents/CommitOptions.js';
import { DocumentCommits } from '../documents/DocumentCommits.js';
import { DocumentUpdates } from '../documents/DocumentUpdates.js';
import { mergeDocument } from '../documents/mergeDocument.js';
import type { PlannedWrite } from '../documents/PlannedWrite.js';
import { DocumentLimits } from '../rights/DocumentLimits.js';
import type { WriteGuard } from '../rights/WriteGuard.js';
import { WriteGuards } from '../rights/WriteGuards.js';
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

/** An update within the right of its writer. */
interface GuardedUpdate extends QueryUpdate {
  readonly guard: WriteGuard | null;
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
    @inject(DocumentUpdates) private readonly updates: DocumentUpdates,
    @inject(ContentAdmission) private readonly admission: ContentAdmission,
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
    const guarded = { ...update, guard };
    const progress: Progress = { hits: [], errors: [], errorCount: 0 };
    try {
      for await (const batch of this.engine.scan(name, visible, { signal })) {
        for (let at = 0; at < batch.length; at += GROUP_SIZE) {
          await this.updateGroup(guarded, batch.slice(at, at + GROUP_SIZE), progress);
        }
      }
    } catch (error) {
      if (!isAbsence(error)) throw toRegisteredError(error);
    }
    if (refresh && progress.hits.length > 0) await this.engine.refresh(name.index);
    return resultOf(progress);
  }

  private async updateGroup(
    update: GuardedUpdate,
    group: readonly ScannedDocument[],
    progress: Progress,
  ): Promise<void> {
    const { name, origin, request } = update;
    const read = this.engine.readMany(
      name,
      group.map(({ id }) => id),
    );
    const documents = (isThenable(read) ? await read : read).filter((found) => found !== null);
    const operations = documents.flatMap((stored) => this.plan(stored, update, progress));
    if (operations.length === 0) return;
    const outcomes = await this.commits.commit(operations, { refresh: false, origin, request });
    for (const [at, outcome] of outcomes.entries()) {
      await this.settle(update, (operations[at] as PlannedWrite).id, outcome, progress);
    }
  }

  /** The write of one document; none if its outcome is already known. */
  private plan(
    stored: StoredDocument,
    { name, changes, guard }: GuardedUpdate,
    progress: Progress,
  ): readonly PlannedWrite[] {
    const { id, version: condition } = stored;
    // Another writer has taken it out of the writer's view since the scan.
    if (guard?.sees(stored) === false) return [];
    try {
      guard?.assertUpdate(stored, changes, mergeDocument(stored.source, changes));
      const source = this.updates.merge(stored, name, changes);
      const deferred = this.admission.deferred(name, changes);
      if (source !== stored.source) {
        const refusal = guard && { refusal: guard.refusal.bind(guard) };
        return [{ ...name, kind: 'put', id, source, condition, ...deferred, ...refusal }];
      }
      progress.hits.push(id);
    } catch (error) {
      fail(progress, id, error);
    }
    return [];
  }

  private async settle(
    { name, changes, origin, request }: QueryUpdate,
    id: string,
    outcome: WriteOutcome,
    progress: Progress,
  ): Promise<void> {
    if (outcome.status !== 'failed') return void progress.hits.push(id);
    if (isAbsence(outcome.error)) return;
    if (outcome.error.id !== documentErrors.version_conflict.id) {
      return fail(progress, id, outcome.error);
    }
    try {
      await this.updates.update({
        name,
        id: toDocumentId(id),
        changes,
        refresh: false,
        origin,
        request,
        action: 'updateByQuery',
      });
      progress.hits.push(id);
    } catch (error) {
      if (!isAbsence(error)) fail(progress, id, error);
    }
  }
}

/** @throws errors that aren't caused by the document: bugs, and a store that can't be reached */
function fail(progress: Progress, _id: string, error: unknown): void {
  if (!(error instanceof MillraceError) || error.status >= 500) throw error;
  progress.errorCount++;
  if (progress.errors.length === MAX_LISTED_ERRORS) return;
  progress.errors.push({ _id, status: error.status, reason: error.message });
}

function resultOf({ hits, errors, errorCount }: Progress): JsonObject {
  const result = { hits, errors };
  if (errorCount === 0) return result;
  const counts = { failed: errorCount, total: hits.length + errorCount };
  throw documentErrors.partial_failure(counts, { result, details: errors });
}

function isAbsence(error: unknown): boolean {
  if (!(error instanceof MillraceError)) return false;
  const { id } = error;
  return id === documentErrors.not_found.id || id === storageErrors.collection_not_found.id;
}
