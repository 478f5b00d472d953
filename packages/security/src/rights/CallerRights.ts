import {
  andThen,
  type ActionDefinition,
  type ActionEffect,
  type MaybePromise,
  type Target,
  type User,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { limitsOf } from '../keys/limitUser.js';
import { RightsTable } from '../RightsTable.js';
import { BOTH_CREATIONS, StoreFacts } from '../StoreFacts.js';
import type { CallerVerdict, Rights, Verdict } from './Rights.js';

const EFFECTS: Readonly<Record<ActionEffect, readonly ActionEffect[]>> = {
  createsIndex: ['createsIndex'],
  createsCollection: ['createsCollection'],
  deletesIndex: ['deletesIndex'],
  deletesCollection: ['deletesCollection'],
};

/** What an action's definition says about the rights to it. */
export type RightFacts = Pick<ActionDefinition, 'effect' | 'access'>;

/** Decides by the profiles of a user and, for requests with an API key, by the policies of the key. */
@scoped(Scope.ContainerScoped)
export class CallerRights {
  constructor(
    @inject(RightsTable) private readonly rights: RightsTable,
    @inject(StoreFacts) private readonly facts: StoreFacts,
  ) {}

  verdictOn(user: User, target: Target, facts: RightFacts): MaybePromise<CallerVerdict> {
    const own = andThen(this.rights.of(user.profileIds), (rights) => this.decide(rights, target, facts));
    const limits = limitsOf(user);
    if (limits === null) return own;
    return andThen(own, (verdict) => {
      if (verdict === false) return false;
      const within = andThen(this.rights.ofPolicies(limits), (rights) => this.decide(rights, target, facts));
      return andThen(within, (limit) => bothOf(verdict, limit));
    });
  }

  private decide(rights: Rights, target: Target, facts: RightFacts): MaybePromise<Verdict> {
    const { controller, action, index, collection } = target;
    const { effect, access } = facts;
    if (access === 'public' && !rights.names(controller, action, index, collection)) return true;
    if (effect === undefined || index === null) {
      return rights.decide(controller, action, index, collection);
    }
    // The strongest possible effects: if even these are allowed, the store needs no lookup.
    const most = effect === 'createsCollection' ? BOTH_CREATIONS : EFFECTS[effect];
    const verdict = rights.decide(controller, action, index, collection, most);
    if (verdict === true || effect !== 'createsCollection') return verdict;
    return this.facts
      .creationsOf(index, collection)
      .then((effects) => rights.decide(controller, action, index, collection, effects));
  }
}

/** A granting verdict within another. */
function bothOf(verdict: Verdict, limit: Verdict): CallerVerdict {
  if (limit === false || verdict === true) return limit;
  return limit === true ? verdict : { both: [verdict, limit] };
}
