import type { Condition } from './Condition.js';
import type { DocumentRule } from './DocumentRule.js';

/** A right that holds under a condition, or for some documents. */
export type LimitedRight = Condition | DocumentRule;

/** A role's entry for an action: granted, denied, or granted within limits. */
export type Right = boolean | LimitedRight;

export function isDocumentRule(right: LimitedRight): right is DocumentRule {
  return 'resolve' in right;
}
