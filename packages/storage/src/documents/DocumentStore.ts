import {
  andThen,
  documentErrors,
  STORAGE_ENGINE,
  type CollectionName,
  type DocumentId,
  type DocumentRight,
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
import type { CommitOptions } from './CommitOptions.js';
import { DocumentCommits } from './DocumentCommits.js';
import { DocumentIdGenerator } from './DocumentIdGenerator.js';
import { GuardedWrites, type DocumentWrite, type WrittenDocument } from './GuardedWrites.js';

export type { DocumentWrite, WrittenDocument } from './GuardedWrites.js';

/** Single documents: reads and complete writes. */
@scoped(Scope.ContainerScoped)
export class DocumentStore {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(CollectionCatalog) private readonly collections: CollectionCatalog,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(GuardedWrites) private readonly guarded: GuardedWrites,
    @inject(WriteGuards) private readonly guards: WriteGuards,
    @inject(DocumentIdGenerator) private readonly ids: DocumentIdGenerator,
    @inject(DocumentLimits) private readonly limits: DocumentLimits,
  ) {}

  /**
   * @param right the part of the document that is shown; null: everything
   * @throws storage.index_not_found, storage.collection_not_found, document.not_found, also if it must not be seen
   */
  get(
    name: CollectionName,
    id: DocumentId,
    right: DocumentRight | null = null,
  ): MaybePromise<StoredDocument> {
    const read = this.engine.read(name, id);
    const shown =
      right === null
        ? read
        : andThen(read, (found) => found && this.limits.shown(found, right, name));
    return this.found(shown, name, id);
  }

  /**
   * As `get`, with the content as JSON text; undefined if the engine has no such text available.
   * @throws what `get` throws
   */
  getText(
    name: CollectionName,
    id: DocumentId,
    right: DocumentRight | null,
  ): MaybePromise<StoredText> | undefined {
    if (this.engine.readText === undefined) return undefined;
    const read = this.engine.readText(name, id);
    const shown =
      right === null
        ? read
        : andThen(read, (found) => found && this.limits.shownText(found, right, name));
    return this.found(shown, name, id);
  }

  /**
   * Creates a document under the given or a generated id. @throws document.already_exists and what `get` and rules
   * throw
   */
  create(
    write: Omit<DocumentWrite, 'id'> & { readonly id?: DocumentId },
  ): Promise<WrittenDocument> {
    return this.put({ ...write, id: write.id ?? this.ids.next() }, 'absent', 'create');
  }

  createOrReplace(write: DocumentWrite): Promise<WrittenDocument> {
    return this.put(write, 'any', 'createOrReplace');
  }

  /** @param ifVersion the version the document must have @throws document.not_found, document.version_conflict */
  replace(write: DocumentWrite, ifVersion?: number): Promise<WrittenDocument> {
    return this.put(write, ifVersion ?? 'present', 'replace');
  }

  /** @returns the last version @throws document.not_found, document.version_conflict */
  async delete(
    name: CollectionName,
    id: DocumentId,
    options: CommitOptions & { readonly ifVersion?: number },
  ): Promise<number> {
    const guard = await this.guardOf({ name, id, ...options }, 'delete');
    const condition = options.ifVersion ?? 'present';
    if (guard === null) {
      const deletion = { ...name, kind: 'delete', id, condition } as const;
      return (await this.commits.commitOne(deletion, options)).version;
    }
    return this.guarded.delete(guard, { name, id, ...options });
  }

  private async put(
    write: DocumentWrite,
    condition: WriteCondition,
    action: string,
  ): Promise<WrittenDocument> {
    assertContent(write.source);
    const guard = await this.guardOf(write, action);
    return guard === null
      ? this.guarded.put(write, condition)
      : this.guarded.putGuarded(guard, write, condition);
  }

  private guardOf(
    {
      request,
      action,
      name,
      id,
      source = null,
    }: Omit<DocumentWrite, 'source' | 'refresh' | 'origin'> & {
      readonly source?: JsonObject | null;
    },
    own: string,
  ): MaybePromise<WriteGuard | null> {
    return this.guards.of(request, action ?? own, name, id, source);
  }

  private found<T>(
    document: MaybePromise<T | null>,
    name: CollectionName,
    id: DocumentId,
  ): MaybePromise<T> {
    return andThen(document, (found) => found ?? this.missing(name, id));
  }

  private async missing(name: CollectionName, id: DocumentId): Promise<never> {
    await this.collections.assertExists(name);
    throw documentErrors.not_found({ ...name, id });
  }
}
