import {
  andThen,
  type ActionDefinition,
  type ActionEffect,
  type DocumentGrant,
  type DocumentRight,
  type JsonObject,
  type MaybePromise,
  type Request,
  type Target,
  type User,
} from '@millrace/kernel';
import type { FieldRule, Query } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { limitsOf } from './limitUser.js';
import { RightsTable } from '../RightsTable.js';
import { BOTH_CREATIONS, StoreFacts } from '../StoreFacts.js';
import { claimsOf } from './userClaims.js';
import type { Condition } from './Condition.js';
import type { DocumentRule } from './DocumentRule.js';
import type { Grant } from './Grant.js';
import { keyOfGrants } from './parseDocumentRule.js';
import { isDocumentRule, type LimitedRight } from './Right.js';
import type { BothVerdicts, CallerVerdict, Rights, Verdict } from './Rights.js';

/** A request for one object, and what its action says about the document that conditions see. */
export interface DecidedRequest {
  readonly request: Request;
  readonly target: Target;
  readonly facts: Pick<ActionDefinition, 'subject' | 'sentDocument'>;
}

const EFFECTS: Readonly<Record<ActionEffect, readonly ActionEffect[]>> = {
  createsIndex: ['createsIndex'],
  createsCollection: ['createsCollection'],
  deletesIndex: ['deletesIndex'],
  deletesCollection: ['deletesCollection'],
};

/** What an action's definition says about the rights to it. */
type RightFacts = Pick<ActionDefinition, 'effect' | 'access'>;

/**
 * Decides what a caller may do: by the profiles of the user and, for requests with an API key, by the policies of the
 * key. A verdict may depend on the request: on conditions, and on rights on documents.
 */
@scoped(Scope.ContainerScoped)
export class RightDecider {
  private readonly resolved = new WeakMap<Verdict & object, WeakMap<User, DocumentRight>>();

  constructor(
    @inject(RightsTable) private readonly table: RightsTable,
    @inject(StoreFacts) private readonly facts: StoreFacts,
  ) {}

  verdictOn(user: User, target: Target, facts: RightFacts): MaybePromise<CallerVerdict> {
    const own = andThen(this.table.of(user.profileIds), (rights) => this.verdictOf(rights, target, facts));
    const limits = limitsOf(user);
    if (limits === null) return own;
    return andThen(own, (verdict) => {
      if (verdict === false) return false;
      const within = andThen(this.table.ofPolicies(limits), (rights) => this.verdictOf(rights, target, facts));
      return andThen(within, (limit) => bothOf(verdict, limit));
    });
  }

  /** The verdict of some grants alone. */
  verdictOfGrants(grants: readonly Grant[], { controller, action, index, collection }: Target): Verdict {
    return this.table.ofGrants(grants).decide(controller, action, index, collection);
  }

  /** Whether the request is allowed; a right on documents is limited later, by the service. */
  isAllowed(verdict: CallerVerdict, decided: DecidedRequest): MaybePromise<boolean> {
    if (typeof verdict === 'boolean') return verdict;
    if (isOfBoth(verdict)) {
      const [first, second] = verdict.both;
      return andThen(this.isAllowed(first, decided), (is) => is && this.isAllowed(second, decided));
    }
    if (verdict.some(isDocumentRule)) return true;
    return this.holdsAny(verdict.filter(isCondition), decided);
  }

  /** See `Security.documentRight`. */
  documentRight(verdict: CallerVerdict, decided: DecidedRequest): MaybePromise<boolean | DocumentRight> {
    if (typeof verdict === 'boolean') return verdict;
    if (isOfBoth(verdict)) {
      const [first, second] = verdict.both;
      return andThen(this.documentRight(first, decided), (right) =>
        andThen(this.documentRight(second, decided), (other) => intersectRights(right, other)),
      );
    }
    const rules = verdict.filter(isDocumentRule);
    const conditions = verdict.filter(isCondition);
    const { user } = decided.request;
    if (conditions.length === 0) return this.rightOf(verdict, rules, user);
    return andThen(this.holdsAny(conditions, decided), (holds) => {
      if (holds || rules.length === 0) return holds;
      return this.rightOf(verdict, rules, user);
    });
  }

  private verdictOf(rights: Rights, target: Target, facts: RightFacts): MaybePromise<Verdict> {
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

  private rightOf(verdict: Verdict & object, rules: readonly DocumentRule[], user: User): DocumentRight {
    const known = this.resolved.get(verdict) ?? new WeakMap<User, DocumentRight>();
    this.resolved.set(verdict, known);
    const kept = known.get(user);
    if (kept !== undefined) return kept;
    const claims = claimsOf(user);
    const grants = rules.flatMap((rule) => rule.resolve(claims) ?? []);
    const right = { key: keyOfGrants(grants), grants };
    known.set(user, right);
    return right;
  }

  private holdsAny(
    conditions: readonly Condition[],
    { request, target, facts }: DecidedRequest,
  ): MaybePromise<boolean> {
    const needsDocument = conditions.some(({ mentionsDocument }) => mentionsDocument);
    if (!needsDocument) return holdsAny(conditions, request, target, null);
    const { body } = target;
    const sent = body === null ? null : (facts.sentDocument?.(body) ?? body);
    return this.facts
      .documentOf({ ...target, body: sent }, facts.subject)
      .then((document) => holdsAny(conditions, request, target, document));
  }
}

function isOfBoth(verdict: CallerVerdict & object): verdict is BothVerdicts {
  return 'both' in verdict;
}

function isCondition(right: LimitedRight): right is Condition {
  return !isDocumentRule(right);
}

function holdsAny(
  conditions: readonly Condition[],
  request: Request,
  { controller, action, index, collection, id, body }: Target,
  document: JsonObject | null,
): boolean {
  const asked = { controller, action, index, collection, _id: id, body } as unknown as JsonObject;
  const context = { request: asked, user: claimsOf(request.user), document };
  return conditions.some((condition) => condition.holds(context));
}

/** A granting verdict within another. */
function bothOf(verdict: Verdict, limit: Verdict): CallerVerdict {
  if (limit === false || verdict === true) return limit;
  return limit === true ? verdict : { both: [verdict, limit] };
}

/** The right to what both rights cover: the documents of one grant of each, with the fields of both. */
function intersectRights(first: boolean | DocumentRight, second: boolean | DocumentRight): boolean | DocumentRight {
  if (typeof first === 'boolean') return first && second;
  if (typeof second === 'boolean') return second && first;
  const grants = first.grants.flatMap((one) =>
    second.grants.map((other): DocumentGrant => ({
      documents: both(one.documents, other.documents, allOf),
      check: both(one.check, other.check, allOf),
      fields: both(one.fields, other.fields, (...rules): FieldRule => ({ both: rules })),
    })),
  );
  return { key: JSON.stringify([first.key, second.key]), grants };
}

/** Null limits nothing. */
function both<T>(first: T | null, second: T | null, join: (first: T, second: T) => T): T | null {
  return first === null || second === null ? (first ?? second) : join(first, second);
}

function allOf(first: Query, second: Query): Query {
  const clauses = { must: [], filter: [first, second], should: [], mustNot: [] };
  return { kind: 'bool', ...clauses, minimumShouldMatch: 0, boost: 1, path: 'documents' };
}
