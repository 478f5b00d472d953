import {
  andThen,
  type CollectionName,
  type DocumentRight,
  type JsonObject,
  type MaybePromise,
  type Request,
} from '@millrace/kernel';
import type { DocumentTest } from '@millrace/search';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { DocumentLimits } from './DocumentLimits.js';
import { WriteGuard } from './WriteGuard.js';

/** Makes the guards of writes. */
@scoped(Scope.ContainerScoped)
export class WriteGuards {
  constructor(@inject(DocumentLimits) private readonly limits: DocumentLimits) {}

  /**
   * @param request null: an internal write
   * @param action the action of the document controller whose right applies
   * @param content sent for the document
   * @returns null if the writer may change and see everything
   */
  of(
    request: Request | null,
    action: string,
    name: CollectionName,
    id: string | null,
    content: JsonObject | null = null,
  ): MaybePromise<WriteGuard | null> {
    if (request === null) return null;
    const { limits } = this;
    return andThen(limits.of(request, action, name, id, content), (right) =>
      andThen(limits.rightOf(request, 'get', name, id), (reads) => {
        // Without a right to `get`, the answer shows the fields that the writer may change.
        const reading = typeof reads === 'object' ? reads : reads ? null : right;
        if (right === null && reading === null) return null;
        return this.make({ action, name, right, reading });
      }),
    );
  }

  private make(parts: {
    readonly action: string;
    readonly name: CollectionName;
    readonly right: DocumentRight | null;
    readonly reading: DocumentRight | null;
  }): MaybePromise<WriteGuard> {
    const { action, name, right, reading } = parts;
    const { limits } = this;
    return andThen(limits.testOf(right ?? EVERYTHING, name), (writing) =>
      andThen(
        reading === null ? null : limits.testOf(reading, name),
        (test: DocumentTest | null) => new WriteGuard(action, name, right, writing, test),
      ),
    );
  }
}

const EVERYTHING: DocumentRight = {
  key: 'everything',
  grants: [{ documents: null, check: null, fields: null }],
};
