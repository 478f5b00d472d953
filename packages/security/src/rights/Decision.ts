import type { CollectionRights } from './CollectionRights.js';
import { isLimitable } from './DOCUMENT_ACTIONS.js';
import { isDocumentRule, type LimitedRight, type Right } from './Right.js';
import type { Verdict } from './Rights.js';
import type { Named } from './Role.js';

/** Two names of one controller: a role's entry for either one covers both (MEM-1). */
export const MEMORY_STORE: readonly string[] = ['memoryStorage', 'ms'];

/** A policy that grants the action, possibly within limits. */
interface GrantingPolicy {
  readonly right: true | LimitedRight;
  /** Bit set of the effects that the policy doesn't allow. */
  readonly forbidden: number;
}

/** The combined decision of all policies about an action on one index and collection. */
export interface Decision {
  /** The verdict if the action has no effects. */
  readonly verdict: Verdict;
  readonly granting: readonly GrantingPolicy[];
  /** Bit set of the effects that at least one granting policy doesn't allow. */
  readonly forbidden: number;
  /** True if some policy's role names controller and action explicitly, whether it grants them or not. */
  readonly isNamed: boolean;
}

/** Evaluates the policies for an action. */
export function decisionFor(granted: readonly CollectionRights[], controller: string, action: string): Decision {
  const granting: GrantingPolicy[] = [];
  let someForbidden = 0;
  let isNamed = false;
  for (const { controllers, forbidden } of granted) {
    isNamed ||= controllers.get(controller)?.has(action) === true;
    const right = rightTo(controllers, controller, action);
    if (right === false) continue;
    // `*` covers actions of plugins too, which don't know about documents.
    if (right !== true && isDocumentRule(right) && !isLimitable(controller, action)) continue;
    granting.push({ right, forbidden });
    someForbidden |= forbidden;
  }
  return { verdict: toVerdict(granting), granting, forbidden: someForbidden, isNamed };
}

/** The verdict of only those policies that allow all of the effects. */
export function verdictWith({ verdict, granting, forbidden: someForbidden }: Decision, effectBits: number): Verdict {
  // The usual case for writes: no role forbids anything.
  if ((someForbidden & effectBits) === 0) return verdict;
  return toVerdict(granting.filter(({ forbidden }) => (forbidden & effectBits) === 0));
}

function rightTo(controllers: Named<Named<Right>>, controller: string, action: string): Right {
  if (MEMORY_STORE.includes(controller)) {
    const entries = MEMORY_STORE.flatMap((name) => controllers.get(name) ?? []);
    const [first, second] = entries;
    if (first !== undefined && second !== undefined)
      return first.get(action) ?? second.get(action) ?? first.get('*') ?? second.get('*') ?? false;
    return rightIn(first ?? controllers.get('*'), action);
  }
  return rightIn(controllers.get(controller) ?? controllers.get('*'), action);
}

function rightIn(actions: Named<Right> | undefined, action: string): Right {
  return actions?.get(action) ?? actions?.get('*') ?? false;
}

function toVerdict(granting: readonly GrantingPolicy[]): Verdict {
  const limits: LimitedRight[] = [];
  for (const { right } of granting) {
    if (right === true) return true;
    limits.push(right);
  }
  return limits.length === 0 ? false : limits;
}
