import {
  andThen,
  documentErrors,
  ID_GENERATOR,
  isThenable,
  STORAGE_ENGINE,
  type CollectionName,
  type DocumentId,
  type DocumentRight,
  type IdGenerator,
  type JsonObject,
  type MaybePromise,
  type StorageEngine,
  type StoredDocument,
  type StoredText,
  type WriteCondition,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { CollectionCatalog } from '../catalog/CollectionCatalog.js';
import { DocumentLimits } from '../rights/DocumentLimits.js';
import type { WriteGuard } from '../rights/WriteGuard.js';
import { WriteGuards } from '../rights/WriteGuards.js';
import { assertContent } from './assertContent.js';
import type { CommitOptions, PlannedPut } from './PlannedWrite.js';
import { DocumentCommits, type WrittenOutcome } from './DocumentCommits.js';
import { WritePlans } from './WritePlans.js';

/** A document to write. */
export interface DocumentWrite extends CommitOptions {
  readonly name: CollectionName;
  readonly id: DocumentId;
  readonly source: JsonObject;
}

/** A document after a write. */
export interface WrittenDocument extends StoredDocument {
  readonly isNew: boolean;
}

/** A partial change of one document. */
export interface DocumentUpdate extends CommitOptions {
  readonly name: CollectionName;
  readonly id: DocumentId;
  readonly changes: JsonObject;
  /** The version the document must have. */
  readonly ifVersion?: number;
}

/** A change of a document that may be absent. */
export interface DocumentUpsert extends CommitOptions {
  readonly name: CollectionName;
  readonly id: DocumentId;
  /** Merged into the existing document. */
  readonly changes: JsonObject;
  /** The document to create if there is none: `changes` merged into the default content. */
  readonly created: JsonObject;
}

type PutOutcome = Exclude<WrittenOutcome, { readonly status: 'deleted' }>;

/** Single documents: reads and writes. */
@scoped(Scope.ContainerScoped)
export class DocumentStore {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(CollectionCatalog) private readonly collections: CollectionCatalog,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(WritePlans) private readonly plans: WritePlans,
    @inject(WriteGuards) private readonly guards: WriteGuards,
    @inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @inject(DocumentLimits) private readonly limits: DocumentLimits,
  ) {}

  /**
   * @param right the part of the document that is shown; null: everything
   * @throws storage.index_not_found, storage.collection_not_found, document.not_found, also if it must not be seen
   */
  get(name: CollectionName, id: DocumentId, right: DocumentRight | null = null): MaybePromise<StoredDocument> {
    const read = this.engine.read(name, id);
    const shown = right === null ? read : andThen(read, (found) => found && this.limits.shown(found, right, name));
    return this.found(shown, name, id);
  }

  /**
   * As `get`, with the content as JSON text; undefined if the engine has no such text available.
   * @throws what `get` throws
   */
  getText(name: CollectionName, id: DocumentId, right: DocumentRight | null): MaybePromise<StoredText> | undefined {
    if (this.engine.readText === undefined) return undefined;
    const read = this.engine.readText(name, id);
    const shown = right === null ? read : andThen(read, (found) => found && this.limits.shownText(found, right, name));
    return this.found(shown, name, id);
  }

  /**
   * Creates a document under the given or a generated id. @throws document.already_exists and what `get` and rules
   * throw
   */
  create(write: Omit<DocumentWrite, 'id'> & { readonly id?: DocumentId }): Promise<WrittenDocument> {
    return this.put({ ...write, id: write.id ?? this.ids.next() }, 'absent', 'create');
  }

  createOrReplace(write: DocumentWrite): Promise<WrittenDocument> {
    return this.put(write, 'any', 'createOrReplace');
  }

  /** @param ifVersion the version the document must have @throws document.not_found, document.version_conflict */
  replace(write: DocumentWrite, ifVersion?: number): Promise<WrittenDocument> {
    return this.put(write, ifVersion ?? 'present', 'replace');
  }

  /**
   * Merges changes into a document. An update that changes nothing writes nothing.
   * @returns the whole document afterwards
   * @throws document.not_found, document.version_conflict, what content rules throw
   */
  async update(update: DocumentUpdate): Promise<StoredDocument> {
    const { name, id, changes, request, action = 'update', ifVersion } = update;
    assertContent(changes);
    const guarded = this.guards.of(request, action, name, id, changes);
    const guard = isThenable(guarded) ? await guarded : guarded;
    return this.commit(this.plans.update({ name, id }, changes, guard, ifVersion), update, guard);
  }

  /**
   * Merges changes into a document, or creates one (DOC-15).
   * @returns the whole document afterwards
   * @throws what content rules throw; document.already_exists (409) if it doesn't exist for this writer
   */
  async upsert(upsert: DocumentUpsert): Promise<WrittenDocument> {
    const { name, id, changes, created, request, action = 'upsert' } = upsert;
    assertContent(changes);
    assertContent(created);
    const guard = await this.guards.of(request, action, name, id, changes);
    const creator = await this.guards.of(request, action, name, id, created);
    const plan = this.plans.upsert({ name, id }, upsert, guard, creator);
    return this.commit(plan, upsert, guard);
  }

  /** @returns the last version @throws document.not_found, document.version_conflict */
  async delete(
    name: CollectionName,
    id: DocumentId,
    options: CommitOptions & { readonly ifVersion?: number },
  ): Promise<number> {
    const { request, action = 'delete', ifVersion } = options;
    const guard = await this.guards.of(request, action, name, id);
    const plan = this.plans.delete({ name, id }, ifVersion ?? 'present', guard);
    return (await this.commits.commitOne(plan, options)).version;
  }

  private async put(write: DocumentWrite, condition: WriteCondition, ownAction: string): Promise<WrittenDocument> {
    const { name, id, source, request, action = ownAction } = write;
    assertContent(source);
    const guarded = this.guards.of(request, action, name, id, source);
    const guard = isThenable(guarded) ? await guarded : guarded;
    return this.commit(this.plans.put(write, source, condition, guard), write, guard);
  }

  private async commit(plan: PlannedPut, options: CommitOptions, guard: WriteGuard | null): Promise<WrittenDocument> {
    const { id } = plan;
    const outcome = (await this.commits.commitOne(plan, options)) as PutOutcome;
    const { version, meta, source = plan.source, status } = outcome;
    const written = { id, version, source, meta, isNew: status === 'created' };
    return guard === null ? written : guard.shown(written);
  }

  private found<T>(document: MaybePromise<T | null>, name: CollectionName, id: DocumentId): MaybePromise<T> {
    return andThen(document, (found) => found ?? this.missing(name, id));
  }

  private async missing(name: CollectionName, id: DocumentId): Promise<never> {
    await this.collections.assertExists(name);
    throw documentErrors.not_found({ ...name, id });
  }
}
