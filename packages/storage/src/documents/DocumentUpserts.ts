import {
  documentErrors,
  MillraceError,
  retryOnConflict,
  storageErrors,
  type CollectionName,
  type DocumentId,
  type JsonObject,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { WriteGuards } from '../rights/WriteGuards.js';
import { assertContent } from './assertContent.js';
import type { CommitOptions } from './CommitOptions.js';
import { DocumentStore, type WrittenDocument } from './DocumentStore.js';
import { DocumentUpdates } from './DocumentUpdates.js';

/** Attempts at an upsert while others create and delete the same document. */
const MAX_TRIES = 50;
const GUARDED_TRIES = 3;
const ABSENCES: readonly string[] = [
  documentErrors.not_found.id,
  storageErrors.collection_not_found.id,
  storageErrors.index_not_found.id,
];

/** A change of a document that may be absent. */
export interface DocumentUpsert extends CommitOptions {
  readonly name: CollectionName;
  readonly id: DocumentId;
  /** Merged into the existing document. */
  readonly changes: JsonObject;
  /** The document to create if there is none: `changes` merged into the default content. */
  readonly created: JsonObject;
}

/** document.upsert (DOC-15). */
@scoped(Scope.ContainerScoped)
export class DocumentUpserts {
  constructor(
    @inject(DocumentStore) private readonly documents: DocumentStore,
    @inject(DocumentUpdates) private readonly updates: DocumentUpdates,
    @inject(WriteGuards) private readonly guards: WriteGuards,
  ) {}

  /** @returns the whole document afterwards @throws what content rules throw, document.version_conflict (409) */
  async upsert(upsert: DocumentUpsert): Promise<WrittenDocument> {
    const { created: source, ...update } = upsert;
    assertContent(upsert.changes);
    assertContent(source);
    const write = async (): Promise<WrittenDocument> => {
      try {
        return { ...(await this.updates.update(update)), isNew: false };
      } catch (error) {
        if (!isOneOf(error, ABSENCES)) throw error;
      }
      return this.documents.create({ ...update, source });
    };
    const guard = await this.guards.of(
      update.request,
      update.action ?? 'upsert',
      update.name,
      update.id,
    );
    // A document that doesn't exist for the writer can be neither updated nor created.
    const maxTries = guard === null ? MAX_TRIES : GUARDED_TRIES;
    return retryOnConflict(write, maxTries, (error) =>
      isOneOf(error, [documentErrors.already_exists.id]),
    );
  }
}

function isOneOf(error: unknown, ids: readonly string[]): boolean {
  return error instanceof MillraceError && ids.includes(error.id);
}
