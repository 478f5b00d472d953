import type { JsonObject } from '@millrace/kernel';

/** What a condition is judged on (SEC-15). */
export interface ConditionContext {
  /** `{controller, action, index, collection, _id, body}`: null where there is none. */
  readonly request: JsonObject;
  /** `{_id, profileIds, …free properties}` */
  readonly user: JsonObject;
  /**
   * The content of the one document that the action is about, with its `_id`; null where the action has no single
   * document, or where there is none.
   */
  readonly document: JsonObject | null;
}

/** The `{when: filter}` of a right, checked and compiled. */
export interface Condition {
  /** True where it reads the document, which then has to be fetched before it is asked. */
  readonly mentionsDocument: boolean;
  /** Pure. False where it mentions the document and `document` is null, even below a `not`. */
  holds(context: ConditionContext): boolean;
}
