import {
  documentErrors,
  MillraceError,
  WRITE_OBSERVERS,
  type Request,
  type StoredDocument,
  type WriteObservers,
  type WriteOperation,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ContentAdmission } from './ContentAdmission.js';
import type { PlannedWrite } from './PlannedWrite.js';

/** Passes writes to the pipes of plugins before they are made. */
@scoped(Scope.ContainerScoped)
export class WriteReview {
  constructor(
    @inject(WRITE_OBSERVERS) private readonly observers: WriteObservers,
    @inject(ContentAdmission) private readonly admission: ContentAdmission,
  ) {}

  /**
   * @param before the stored document
   * @returns the write to make, or the error that refuses this document
   */
  async review(
    planned: PlannedWrite,
    before: StoredDocument | null,
    request: Request,
  ): Promise<WriteOperation | MillraceError> {
    const { changes, ...operation } = planned;
    const { index, collection, id, kind } = operation;
    if (!this.observers.isPiped({ index, collection })) return operation;
    const unmet = unmetCondition(operation, before);
    if (unmet !== undefined) return unmet;
    const after = kind === 'put' ? operation.source : null;
    try {
      const source = await this.observers.before({
        index,
        collection,
        id,
        before: before?.source ?? null,
        after,
        action: `${request.controller}.${request.action}`,
        request,
      });
      if (kind === 'delete' || source === null) return operation;
      const content = { name: { index, collection }, id, source, ...(changes && { changes }) };
      return { ...operation, source: this.admission.admitPiped(content) };
    } catch (error) {
      if (error instanceof MillraceError) return error;
      throw error;
    }
  }
}

/**
 * A write whose condition doesn't hold is not shown to pipes, and must not bypass them if the condition holds a moment
 * later: it fails here, or in the engine because of a version that no document has.
 */
function unmetCondition(
  operation: WriteOperation,
  before: StoredDocument | null,
): WriteOperation | MillraceError | undefined {
  const { index, collection, id, condition } = operation;
  if (condition === 'any') return undefined;
  // The engine determines whether the document, its collection or its index is absent.
  if (before === null) return condition === 'absent' ? undefined : { ...operation, condition: 0 };
  if (condition === 'absent') return documentErrors.already_exists({ index, collection, id });
  if (condition === 'present' || condition === before.version) return undefined;
  return documentErrors.version_conflict({ id, expected: condition, actual: before.version });
}
