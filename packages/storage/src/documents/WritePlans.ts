import {
  documentErrors,
  stampMetadata,
  type CollectionName,
  type DocumentId,
  type JsonObject,
  type StoredDocument,
  type WriteCondition,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { WriteGuard } from '../rights/WriteGuard.js';
import { ContentAdmission } from './ContentAdmission.js';
import { isEqualJson } from '../isEqualJson.js';
import { mergeDocument } from './mergeDocument.js';
import type { DecidedWrite, PlannedPut, PlannedWrite } from './PlannedWrite.js';

/** The document of a write. */
export interface WriteTarget {
  readonly name: CollectionName;
  readonly id: DocumentId;
}

/**
 * No document has this version: the engine finds out whether the document, its collection or its index is absent. If
 * the document exists meanwhile, the write fails and is planned again.
 */
const OF_NO_DOCUMENT = 0;

/** Plans writes of documents. A guard limits the writer to some documents or fields; null: no limit. */
@scoped(Scope.ContainerScoped)
export class WritePlans {
  constructor(@inject(ContentAdmission) private readonly admission: ContentAdmission) {}

  /** A complete document. @throws what content rules throw */
  put(target: WriteTarget, source: JsonObject, condition: WriteCondition, guard: WriteGuard | null): PlannedPut {
    if (guard === null) return this.decide(target, source, condition, null);
    const { name, id } = target;
    return {
      index: name.index,
      collection: name.collection,
      kind: 'put',
      id,
      source,
      condition,
      plan: (before, stamp) => {
        const stored = condition === 'absent' ? null : before;
        if (stored === null) {
          const isCreation = condition === 'absent' || condition === 'any';
          if (!isCreation) return absent(target);
          guard.assertCreation(target.id, source, stampMetadata(null, stamp));
          return this.decide(target, source, 'absent', guard);
        }
        if (!guard.sees(stored)) throw condition === 'any' ? taken(target) : missing(target);
        assertVersion(stored, condition);
        return this.decide(target, guard.replacement(stored, source), stored.version, guard);
      },
    };
  }

  /** A deep merge into the stored document. @param ifVersion the version that it must have */
  update(target: WriteTarget, changes: JsonObject, guard: WriteGuard | null, ifVersion?: number): PlannedPut {
    const { name, id } = target;
    return {
      index: name.index,
      collection: name.collection,
      kind: 'put',
      id,
      source: changes,
      condition: 'present',
      plan: (before) => {
        if (before === null) return absent(target);
        guard?.assertSees(before);
        assertVersion(before, ifVersion);
        return this.merged(target, before, changes, guard);
      },
    };
  }

  /**
   * An update, or a creation if there is no document.
   * @param created the document to create
   * @param creator the guard of the creation
   */
  upsert(
    target: WriteTarget,
    { changes, created }: { readonly changes: JsonObject; readonly created: JsonObject },
    guard: WriteGuard | null,
    creator: WriteGuard | null,
  ): PlannedPut {
    const { name, id } = target;
    return {
      index: name.index,
      collection: name.collection,
      kind: 'put',
      id,
      source: created,
      condition: 'any',
      plan: (before, stamp) => {
        const isSeen = before !== null && (guard === null || guard.sees(before));
        if (isSeen) return this.merged(target, before, changes, guard);
        creator?.assertCreation(target.id, created, stampMetadata(null, stamp));
        // A document that doesn't exist for the writer can be neither updated nor created.
        if (before !== null) throw taken(target);
        return this.decide(target, created, 'absent', creator);
      },
    };
  }

  delete(target: WriteTarget, condition: 'present' | number, guard: WriteGuard | null): PlannedWrite {
    const deletion = { ...at(target), kind: 'delete', condition } as const;
    if (guard === null) return deletion;
    return {
      ...deletion,
      plan: (before) => {
        if (before === null) return { ...deletion, condition: OF_NO_DOCUMENT };
        guard.assertSees(before);
        assertVersion(before, condition);
        return { ...deletion, condition: before.version };
      },
    };
  }

  private merged(
    target: WriteTarget,
    stored: StoredDocument,
    changes: JsonObject,
    guard: WriteGuard | null,
  ): DecidedWrite | 'unchanged' {
    const { name, id } = target;
    const merged = mergeDocument(stored.source, changes);
    guard?.assertUpdate(stored, changes, merged);
    const source = this.admission.admit({ name, id, source: merged, changes });
    // The merge gives the stored content itself if nothing changes; content rules may still undo a change.
    const isUnchanged = source === stored.source || (source !== merged && isEqualJson(source, stored.source));
    if (isUnchanged) return 'unchanged';
    const { index, collection } = name;
    const deferred = this.admission.deferred(name, changes);
    const refusal = guard && { refusal: guard.refusal.bind(guard) };
    const condition = stored.version;
    return { index, collection, kind: 'put', id, source, condition, ...deferred, ...refusal };
  }

  private decide(
    target: WriteTarget,
    content: JsonObject,
    condition: WriteCondition,
    guard: WriteGuard | null,
  ): DecidedWrite & { readonly kind: 'put' } {
    const { name, id } = target;
    const { index, collection } = name;
    const source = this.admission.admit({ name, id, source: content });
    const refusal = guard && { refusal: guard.refusal.bind(guard) };
    // Written out: objects that begin with a spread make a write dearer by several microseconds.
    return { index, collection, kind: 'put', id, source, condition, ...refusal };
  }
}

function at({ name: { index, collection }, id }: WriteTarget) {
  return { index, collection, id };
}

function absent(target: WriteTarget): DecidedWrite {
  return { ...at(target), kind: 'put', source: {}, condition: OF_NO_DOCUMENT };
}

function taken(target: WriteTarget): Error {
  return documentErrors.already_exists(at(target));
}

function missing(target: WriteTarget): Error {
  return documentErrors.not_found(at(target));
}

function assertVersion({ id, version }: StoredDocument, condition?: WriteCondition): void {
  if (typeof condition !== 'number' || condition === version) return;
  throw documentErrors.version_conflict({ id, expected: condition, actual: version });
}
