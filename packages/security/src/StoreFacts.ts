import {
  isDocumentId,
  isError,
  STORAGE_ENGINE,
  storageErrors,
  type ActionDefinition,
  type ActionEffect,
  type CollectionPart,
  type IndexName,
  type JsonObject,
  type StorageEngine,
  type Target,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';

/** The strongest effects that a write can have. */
export const BOTH_CREATIONS: readonly ActionEffect[] = ['createsIndex', 'createsCollection'];
const CREATES_COLLECTION: readonly ActionEffect[] = ['createsCollection'];
const NO_EFFECTS: readonly ActionEffect[] = [];

/**
 * Looks up the facts that rights depend on: whether a write would create something, and the document that a condition
 * mentions.
 */
@scoped(Scope.ContainerScoped)
export class StoreFacts {
  constructor(@inject(STORAGE_ENGINE) private readonly engine: StorageEngine) {}

  /** What a write to this collection would have to create first. */
  async creationsOf(index: IndexName, collection: CollectionPart | null): Promise<readonly ActionEffect[]> {
    if (!(await this.engine.hasIndex(index))) return BOTH_CREATIONS;
    const exists = collection !== null && (await this.engine.hasCollection({ index, collection }));
    return exists ? NO_EFFECTS : CREATES_COLLECTION;
  }

  /** The content that conditions see as `document`; null if the action has no single document. */
  async documentOf(target: Target, subject: ActionDefinition['subject']): Promise<JsonObject | null> {
    if (subject === undefined) return null;
    const { id, body } = target;
    const sent = body === null ? null : { ...body, ...(id === null ? undefined : { _id: id }) };
    if (subject === 'sent') return sent;
    const stored = await this.stored(target);
    return subject === 'storedOrSent' ? (stored ?? sent) : stored;
  }

  private async stored({ index, collection, id }: Target): Promise<JsonObject | null> {
    if (index === null || collection === null || id === null || !isDocumentId(id)) return null;
    try {
      const document = await this.engine.read({ index, collection }, id);
      return document === null ? null : { ...document.source, _id: id };
    } catch (error) {
      if (isError(error, storageErrors.index_not_found)) return null;
      throw error;
    }
  }
}
