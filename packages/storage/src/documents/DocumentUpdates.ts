import {
  documentErrors,
  isThenable,
  KeyedQueue,
  retryOnConflict,
  toDocumentKey,
  type CollectionName,
  type DocumentId,
  type JsonObject,
  type StoredDocument,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { WriteGuard } from '../rights/WriteGuard.js';
import { WriteGuards } from '../rights/WriteGuards.js';
import { assertContent } from './assertContent.js';
import type { CommitOptions } from './CommitOptions.js';
import { ContentAdmission } from './ContentAdmission.js';
import { DocumentCommits } from './DocumentCommits.js';
import { DocumentStore } from './DocumentStore.js';
import { isEqualJson } from './isEqualJson.js';
import { mergeDocument } from './mergeDocument.js';

/** Attempts at an update that competes with writers on other nodes and with other kinds of writes. */
const MAX_TRIES = 50;

/** A partial change of one document. */
export interface DocumentUpdate extends CommitOptions {
  readonly name: CollectionName;
  readonly id: DocumentId;
  readonly changes: JsonObject;
  /** The version the document must have. */
  readonly ifVersion?: number;
}

/**
 * Updates: read, deep merge, write on the condition that the version is unchanged, else repeat. Updates of one document
 * on this node are queued, so that concurrent ones don't fail each other's condition.
 */
@scoped(Scope.ContainerScoped)
export class DocumentUpdates {
  private readonly queue = new KeyedQueue();

  constructor(
    @inject(DocumentStore) private readonly documents: DocumentStore,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(ContentAdmission) private readonly admission: ContentAdmission,
    @inject(WriteGuards) private readonly guards: WriteGuards,
  ) {}

  /**
   * An update that changes nothing writes nothing.
   * @returns the whole document afterwards
   * @throws document.not_found, document.version_conflict, what content rules throw
   */
  async update(update: DocumentUpdate): Promise<StoredDocument> {
    const { name, id } = update;
    assertContent(update.changes);
    const maxTries = update.ifVersion === undefined ? MAX_TRIES : 1;
    const { request, action = 'update', changes } = update;
    const guard = await this.guards.of(request, action, name, id, changes);
    const updated = await this.queue.run(toDocumentKey(name, id), () =>
      retryOnConflict(() => this.tryOnce(update, guard), maxTries),
    );
    return guard === null ? updated : guard.shown(updated);
  }

  /**
   * The content of a stored document after an update.
   * @returns the stored source itself if the update changes nothing
   */
  merge(stored: StoredDocument, name: CollectionName, changes: JsonObject): JsonObject {
    const merged = mergeDocument(stored.source, changes);
    const admitted = this.admission.admit({ name, id: stored.id, source: merged, changes });
    return admitted !== stored.source && isEqualJson(admitted, stored.source)
      ? stored.source
      : admitted;
  }

  private async tryOnce(update: DocumentUpdate, guard: WriteGuard | null): Promise<StoredDocument> {
    const { name, id, changes, ifVersion } = update;
    const { index, collection } = name;
    const found = this.documents.get(name, id);
    const stored = isThenable(found) ? await found : found;
    const { version: condition } = stored;
    guard?.assertSees(stored);
    if (ifVersion !== undefined && ifVersion !== condition) {
      throw documentErrors.version_conflict({ id, expected: ifVersion, actual: condition });
    }
    guard?.assertUpdate(stored, changes, mergeDocument(stored.source, changes));
    const source = this.merge(stored, name, changes);
    if (source === stored.source) return stored;
    const deferred = this.admission.deferred(name, changes);
    const refusal = guard && { refusal: guard.refusal.bind(guard) };
    const outcome = await this.commits.commitPut(
      { index, collection, kind: 'put', id, source, condition, ...deferred, ...refusal },
      update,
    );
    return { id, version: outcome.version, source: outcome.source ?? source, meta: outcome.meta };
  }
}
