import type { ActionEffect } from '@millrace/kernel';
import type { LimitedRight } from './Right.js';
import type { RightsItem } from './RightsItem.js';

/** Granted, denied, or granted within at least one of several limits (never an empty list). */
export type Verdict = boolean | readonly LimitedRight[];

/** What the rights of a user say, and within them the policies of an API key: both must grant. */
export interface BothVerdicts {
  readonly both: readonly [Verdict, Verdict];
}

/** What all that limits a caller says. */
export type CallerVerdict = Verdict | BothVerdicts;

/** The rights of everyone who has the same policies. Immutable: rebuilt when a policy or role changes. */
export interface Rights {
  /**
   * Decides whether a request is allowed. Any string is a safe name.
   * @param index null if the request names none: restrictions of policies don't apply then
   * @param effects the actual effects of the action in addition to those on documents; only policies whose role
   *   allows all of them count. A write that creates its index also creates its collection: pass both.
   */
  decide(
    controller: string,
    action: string,
    index: string | null,
    collection: string | null,
    effects?: readonly ActionEffect[],
  ): Verdict;
  /** Whether some role names this action explicitly (not by `*`). The roles then also decide public access to it. */
  names(controller: string, action: string, index: string | null, collection: string | null): boolean;
  /** The result of `getMyRights`, `getUserRights` and `getProfileRights`, sorted. */
  items(): readonly RightsItem[];
}
