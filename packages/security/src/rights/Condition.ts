import type { JsonObject } from '@millrace/kernel';

/** Input of a condition (SEC-15). */
export interface ConditionContext {
  /** `{controller, action, index, collection, _id, body}`; null for absent values. */
  readonly request: JsonObject;
  /** `{_id, profileIds, …free properties}` */
  readonly user: JsonObject;
  /**
   * The content of the action's single document, with its `_id`; null if the action has no single document or the
   * document doesn't exist.
   */
  readonly document: JsonObject | null;
}

/** The `{when: filter}` of a right, validated and compiled. */
export interface Condition {
  /** True if the condition reads the document, which must then be fetched before `holds` is called. */
  readonly mentionsDocument: boolean;
  /** Pure. False if it mentions the document and `document` is null, even below a `not`. */
  holds(context: ConditionContext): boolean;
}
