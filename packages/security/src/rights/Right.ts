import type { Condition } from './Condition.js';

/** What a role says about an action: yes, no, or yes where the condition holds. */
export type Right = boolean | Condition;
