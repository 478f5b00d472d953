import {
  CLOCK,
  validationErrors,
  type Clock,
  type CollectionName,
  type JsonObject,
  type ContentRules,
  type IncomingContent,
  type ValidationReport,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import type { DocumentFault } from './findFaults.js';
import { SpecificationStore } from './SpecificationStore.js';
import { toErrorTree } from './toErrorTree.js';
import { admitDocument, validateDocument } from './validateDocument.js';

/** The content rules of a server: the specification of the collection, if there is one (VALID-30). */
@scoped(Scope.ContainerScoped)
export class SpecificationRules implements ContentRules {
  constructor(
    @inject(SpecificationStore) private readonly specifications: SpecificationStore,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws validation.failed (400) with the first fault */
  admit({ name, id, source, changes }: IncomingContent): JsonObject {
    const specification = this.specifications.find(name);
    if (specification === undefined) return source;
    const nowMs = this.clock.nowMs();
    const admission = admitDocument(specification, { source, id, changes, nowMs });
    if (admission.fault !== undefined) throw toError(admission.fault);
    return admission.source;
  }

  report(name: CollectionName, source: JsonObject): ValidationReport {
    const specification = this.specifications.find(name);
    if (specification === undefined) return { valid: true, errorMessages: {} };
    return validateDocument(specification, { source, nowMs: this.clock.nowMs() });
  }
}

function toError(fault: DocumentFault) {
  const where = fault.path.length === 0 ? 'Document' : `Field ${fault.path.join('.')}`;
  return validationErrors.failed({ where, reason: fault.message }, { details: toErrorTree([fault]) });
}
