import type { ActionEffect } from '@millrace/kernel';
import type { Condition } from './Condition.js';
import type { RightsItem } from './RightsItem.js';

/**
 * Yes, no, or the conditions of which one must hold (never an empty list).
 */
export type Verdict = boolean | readonly Condition[];

/** The rights of everyone who has the same policies. Immutable: made anew when a policy or role changes. */
export interface Rights {
  /**
   * May this be done? Names are taken as they are: any text is safe.
   * @param index null where the request names none: restrictions of policies don't count then
   * @param effects what the action makes or removes beside documents, in fact: only policies whose role allows all of it
   *   count. A write that makes its index makes its collection too: both are to be given.
   */
  decide(
    controller: string,
    action: string,
    index: string | null,
    collection: string | null,
    effects?: readonly ActionEffect[],
  ): Verdict;
  /** Does some role name this very action (not by `*`)? Then public access to it is as the roles say. */
  names(
    controller: string,
    action: string,
    index: string | null,
    collection: string | null,
  ): boolean;
  /** What `getMyRights`, `getUserRights` and `getProfileRights` list, sorted. */
  items(): readonly RightsItem[];
}
