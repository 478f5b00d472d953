import {
  CONTENT_RULES,
  WRITE_OBSERVERS,
  type CollectionName,
  type ContentRules,
  type IncomingContent,
  type JsonObject,
  type WriteObservers,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { assertContent } from './assertContent.js';

/** Admits content to the store: at once, or after the pipes of plugins if there are any. */
@scoped(Scope.ContainerScoped)
export class ContentAdmission {
  constructor(
    @inject(CONTENT_RULES) private readonly rules: ContentRules,
    @inject(WRITE_OBSERVERS) private readonly observers: WriteObservers,
  ) {}

  /** @returns the content to store, or to pass to the pipes @throws what content rules throw */
  admit(content: IncomingContent): JsonObject {
    return this.observers.isPiped(content.name) ? content.source : this.rules.admit(content);
  }

  /** Admits content changed by pipes after `admit`. @throws document.reserved_key, what content rules throw */
  admitPiped(content: IncomingContent): JsonObject {
    assertContent(content.source);
    return this.rules.admit(content);
  }

  /** The part of an update that a write must carry so that it can be admitted after the pipes. */
  deferred(name: CollectionName, changes: JsonObject): { readonly changes?: JsonObject } {
    return this.observers.isPiped(name) ? { changes } : {};
  }
}
