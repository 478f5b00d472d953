import type { Condition } from './Condition.js';

/** A role's entry for an action: granted, denied, or granted if the condition holds. */
export type Right = boolean | Condition;
