import {
  CLOCK,
  documentErrors,
  isThenable,
  MillraceError,
  retryOnConflict,
  stampMetadata,
  STORAGE_ENGINE,
  type Clock,
  type CollectionName,
  type DocumentId,
  type JsonObject,
  type StorageEngine,
  type StoredDocument,
  type WriteCondition,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { WriteGuard } from '../rights/WriteGuard.js';
import type { CommitOptions } from './CommitOptions.js';
import { ContentAdmission } from './ContentAdmission.js';
import { DocumentCommits } from './DocumentCommits.js';

/** Attempts at a write that competes with other writers. */
const MAX_TRIES = 50;

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

/** Complete writes of single documents, by writers with and without limits. */
@scoped(Scope.ContainerScoped)
export class GuardedWrites {
  constructor(
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(DocumentCommits) private readonly commits: DocumentCommits,
    @inject(ContentAdmission) private readonly admission: ContentAdmission,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  async put(
    write: DocumentWrite,
    condition: WriteCondition,
    guard?: WriteGuard,
  ): Promise<WrittenDocument> {
    const { id } = write;
    const source = this.admission.admit(write);
    const { index, collection } = write.name;
    const refusal = guard && { refusal: guard.refusal.bind(guard) };
    const outcome = await this.commits.commitPut(
      { index, collection, kind: 'put', id, source, condition, ...refusal },
      write,
    );
    const { version, meta, status } = outcome;
    return { id, version, source: outcome.source ?? source, meta, isNew: status === 'created' };
  }

  /**
   * Reads the document and writes on the condition that it hasn't changed. A document that doesn't exist for the writer
   * is absent, but can't be created: its id is taken.
   */
  async putGuarded(
    guard: WriteGuard,
    write: DocumentWrite,
    condition: WriteCondition,
  ): Promise<WrittenDocument> {
    const { name, id, source } = write;
    const task = async (): Promise<WrittenDocument> => {
      const stored = condition === 'absent' ? null : await this.read(name, id);
      if (stored === null) {
        const atMs = this.clock.nowMs();
        const userId = write.request?.user._id ?? null;
        const meta = stampMetadata(null, { atMs, userId });
        const isCreation = condition === 'absent' || condition === 'any';
        if (isCreation) guard.assertCreation(id, source, meta);
        return this.put(write, condition === 'any' ? 'absent' : condition, guard);
      }
      if (!guard.sees(stored)) {
        throw condition === 'any' ? new Taken(name, id) : documentErrors.not_found({ ...name, id });
      }
      assertVersion(stored, condition);
      const replaced = { ...write, source: guard.replacement(stored, source) };
      return this.put(replaced, stored.version, guard);
    };
    try {
      const written = await retryOnConflict(task, MAX_TRIES, (error) => isRace(error, condition));
      return guard.shown(written);
    } catch (error) {
      if (error instanceof Taken) throw documentErrors.already_exists({ ...name, id });
      throw error;
    }
  }

  /** @returns the last version @throws document.not_found, also if it doesn't exist for the writer; document.version_conflict */
  async delete(
    guard: WriteGuard,
    write: Omit<DocumentWrite, 'source'> & { readonly ifVersion?: number },
  ): Promise<number> {
    const { name, id, ifVersion } = write;
    const condition = ifVersion ?? 'present';
    const { index, collection } = name;
    return retryOnConflict(
      async () => {
        const stored = await this.read(name, id);
        if (stored !== null) {
          guard.assertSees(stored);
          assertVersion(stored, condition);
        }
        const outcome = await this.commits.commitOne(
          { index, collection, kind: 'delete', id, condition: stored?.version ?? condition },
          write,
        );
        return outcome.version;
      },
      MAX_TRIES,
      (error) => isRace(error, condition),
    );
  }

  private async read(name: CollectionName, id: DocumentId): Promise<StoredDocument | null> {
    // An absent index fails the write.
    if (!(await this.engine.hasCollection(name))) return null;
    const read = this.engine.read(name, id);
    return isThenable(read) ? await read : read;
  }
}

/** The id belongs to a document that doesn't exist for the writer. */
class Taken extends Error {
  constructor({ index, collection }: CollectionName, id: string) {
    super(`${index}/${collection}/${id}`);
  }
}

function assertVersion({ id, version }: StoredDocument, condition: WriteCondition): void {
  if (typeof condition !== 'number' || condition === version) return;
  throw documentErrors.version_conflict({ id, expected: condition, actual: version });
}

/** Whether another writer was faster, and the condition of the request doesn't depend on the version. */
function isRace(error: unknown, condition: WriteCondition): boolean {
  if (!(error instanceof MillraceError) || typeof condition === 'number') return false;
  if (error.id === documentErrors.version_conflict.id) return true;
  return condition === 'any' && error.id === documentErrors.already_exists.id;
}
