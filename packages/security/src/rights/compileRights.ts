/*
 * How rights resolve (SEC-11, SEC-22), for all policies of a user at once.
 *
 * Of one role, a request finds at most one entry on each level: index, collection, controller, action, in this order;
 * the exact key, else `*`, else nothing. An exact key ends the search also where it says false or leads nowhere. A policy
 * whose restrictions leave the request out says nothing. Over the policies it is a union: one yes is a yes, else the
 * conditions of all of them are alternatives, and a false takes nothing away from another policy.
 *
 * Making and removing indexes and collections is judged policy by policy, too: one and the same policy has to grant the
 * action there and to allow what the action makes or removes. A union of each part by itself would make `_canCreate:
 * false` void as soon as the user has any other role, since it is true in every role that doesn't speak of it.
 *
 * Shape: policies and names are not multiplied out. Only names that some policy speaks of can make a difference, all
 * others are alike; so there is a scope per named index, one for the others, one for "none", and likewise for
 * collections. A scope is resolved when it is first asked for, and keeps its decisions by controller and action: one that
 * was taken before costs four map reads and allocates nothing. Indexes and collections that callers make up are never
 * keys; all that is kept is bounded.
 */
import type { ActionEffect } from '@millrace/kernel';
import { toCollectionVoice, type CollectionVoice } from './CollectionVoice.js';
import { judge, verdictWith, type Decision } from './Decision.js';
import { EFFECT_BITS } from './EFFECT_BITS.js';
import type { Grant } from './Grant.js';
import { listRightsItems } from './listRightsItems.js';
import { PolicyVoice, type IndexVoice } from './PolicyVoice.js';
import type { Rights, Verdict } from './Rights.js';
import type { RightsItem } from './RightsItem.js';

/** Decisions and names of collections kept; past it all are forgotten. */
const MAX_KEPT = 20_000;

/**
 * Compiles the rights that policies give together.
 * @param internalIndex is out of reach: no `*` stands for it, and a role that names it says nothing about it
 */
export function compileRights(grants: readonly Grant[], internalIndex: string): Rights {
  return new CompiledRights(grants, internalIndex);
}

interface CollectionScope {
  readonly voices: readonly CollectionVoice[];
  /** By controller and action. */
  readonly decisions: Map<string, Map<string, Decision>>;
}

interface IndexScope {
  readonly voices: readonly IndexVoice[];
  /** By the names that a policy speaks of; null until asked for. */
  readonly named: Map<string, CollectionScope | null>;
  /** Of all other collections, and of the index as a whole. */
  others: CollectionScope | null;
}

class CompiledRights implements Rights {
  private readonly policies: readonly PolicyVoice[];
  /** By the names that a policy speaks of; null until asked for. */
  private readonly named = new Map<string, IndexScope | null>();
  private others: IndexScope | null = null;
  private none: IndexScope | null = null;
  private keptCount = 0;

  constructor(
    private readonly grants: readonly Grant[],
    private readonly internalIndex: string,
  ) {
    this.policies = grants.map((grant) => new PolicyVoice(grant));
    this.forget();
  }

  decide(
    controller: string,
    action: string,
    index: string | null,
    collection: string | null,
    effects?: readonly ActionEffect[],
  ): Verdict {
    if (index === this.internalIndex) return false;
    const decision = this.decisionOf(controller, action, index, collection);
    if (effects === undefined || effects.length === 0) return decision.verdict;
    let effectBits = 0;
    for (const effect of effects) effectBits |= EFFECT_BITS[effect];
    return verdictWith(decision, effectBits);
  }

  names(
    controller: string,
    action: string,
    index: string | null,
    collection: string | null,
  ): boolean {
    return this.decisionOf(controller, action, index, collection).isNamed;
  }

  items(): readonly RightsItem[] {
    return listRightsItems(this.grants, this.internalIndex);
  }

  private decisionOf(
    controller: string,
    action: string,
    index: string | null,
    collection: string | null,
  ): Decision {
    const scope = this.collectionScope(this.indexScope(index), collection);
    return scope.decisions.get(controller)?.get(action) ?? this.keep(scope, controller, action);
  }

  private indexScope(index: string | null): IndexScope {
    if (index === null) return (this.none ??= this.openIndex(null));
    const known = this.named.get(index);
    if (known === undefined) return (this.others ??= this.openIndex(index));
    if (known !== null) return known;
    const opened = this.openIndex(index);
    this.named.set(index, opened);
    return opened;
  }

  private collectionScope(scope: IndexScope, collection: string | null): CollectionScope {
    const known = collection === null ? undefined : scope.named.get(collection);
    if (collection === null || known === undefined) {
      return (scope.others ??= openCollection(scope, null));
    }
    if (known !== null) return known;
    const opened = openCollection(scope, collection);
    scope.named.set(collection, opened);
    return opened;
  }

  private openIndex(index: string | null): IndexScope {
    const voices = this.policies.flatMap((policy) => policy.about(index) ?? []);
    const named = new Map<string, null>();
    for (const { grant, collections } of voices) {
      for (const name of grant.collections.keys()) if (name !== '*') named.set(name, null);
      for (const name of collections ?? []) named.set(name, null);
    }
    this.count(named.size);
    return { voices, named, others: null };
  }

  private keep(scope: CollectionScope, controller: string, action: string): Decision {
    const decision = judge(scope.voices, controller, action);
    const ofController = scope.decisions.get(controller);
    if (ofController === undefined) scope.decisions.set(controller, new Map([[action, decision]]));
    else ofController.set(action, decision);
    this.count(1);
    return decision;
  }

  private count(added: number): void {
    this.keptCount += added;
    if (this.keptCount > MAX_KEPT) this.forget();
  }

  private forget(): void {
    this.keptCount = 0;
    this.others = this.none = null;
    for (const policy of this.policies) {
      for (const index of policy.indexes) this.named.set(index, null);
    }
  }
}

function openCollection({ voices }: IndexScope, collection: string | null): CollectionScope {
  return {
    voices: voices.flatMap((voice) => toCollectionVoice(voice, collection) ?? []),
    decisions: new Map(),
  };
}
