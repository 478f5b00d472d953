/*
 * Resolution of rights (SEC-11, SEC-22), for all policies of a user at once.
 *
 * Within one role a request matches at most one entry on each level: index, collection, controller, action, in this
 * order; the exact key, otherwise `*`, otherwise none. An exact key ends the search even if it denies or has no
 * matching descendant. A policy whose restrictions exclude the request has no effect. Policies form a union: one
 * grant is enough, otherwise the conditions of all of them are alternatives, and a denial doesn't revoke a grant of
 * another policy.
 *
 * Creating and deleting indexes and collections is decided policy by policy too: the same policy must grant the
 * action and allow its effects. A union of the two separately would make `_canCreate: false` ineffective as soon as
 * the user has any other role, since the flag is true in every role that doesn't set it.
 *
 * Structure: policies and names aren't multiplied out. Only names that some policy mentions can differ; all others
 * are equivalent. So there is one scope per named index, one for all others, one for "none", and likewise for
 * collections. A scope is resolved on first use and caches its decisions by controller and action; a cached decision
 * takes four map reads and allocates nothing. Index and collection names invented by callers never become keys, so
 * all caches are bounded.
 */
import type { ActionEffect } from '@millrace/kernel';
import { toCollectionRights, type CollectionRights } from './CollectionRights.js';
import { decisionFor, verdictWith, type Decision } from './Decision.js';
import { EFFECT_BITS } from './EFFECT_BITS.js';
import type { Grant } from './Grant.js';
import { listRightsItems } from './listRightsItems.js';
import { PolicyRights, type IndexRights } from './PolicyRights.js';
import type { Rights, Verdict } from './Rights.js';
import type { RightsItem } from './RightsItem.js';

/** Maximum of cached decisions and collection names; beyond it the caches are cleared. */
const MAX_KEPT = 20_000;

/**
 * Compiles the combined rights of several policies.
 * @param internalIndex inaccessible: `*` doesn't match it, and a role entry with its name has no effect
 */
export function compileRights(grants: readonly Grant[], internalIndex: string): Rights {
  return new CompiledRights(grants, internalIndex);
}

interface CollectionScope {
  readonly granted: readonly CollectionRights[];
  /** By controller and action. */
  readonly decisions: Map<string, Map<string, Decision>>;
}

interface IndexScope {
  readonly granted: readonly IndexRights[];
  /** By the names that a policy mentions; null until first used. */
  readonly named: Map<string, CollectionScope | null>;
  /** For all other collections, and for the index as a whole. */
  others: CollectionScope | null;
}

class CompiledRights implements Rights {
  private readonly policies: readonly PolicyRights[];
  /** By the names that a policy mentions; null until first used. */
  private readonly named = new Map<string, IndexScope | null>();
  private others: IndexScope | null = null;
  private none: IndexScope | null = null;
  private keptCount = 0;

  constructor(
    private readonly grants: readonly Grant[],
    private readonly internalIndex: string,
  ) {
    this.policies = grants.map((grant) => new PolicyRights(grant));
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

  names(controller: string, action: string, index: string | null, collection: string | null): boolean {
    return this.decisionOf(controller, action, index, collection).isNamed;
  }

  items(): readonly RightsItem[] {
    return listRightsItems(this.grants, this.internalIndex);
  }

  private decisionOf(controller: string, action: string, index: string | null, collection: string | null): Decision {
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
    const granted = this.policies.flatMap((policy) => policy.rightsOn(index) ?? []);
    const named = new Map<string, null>();
    for (const { grant, collections } of granted) {
      for (const name of grant.collections.keys()) if (name !== '*') named.set(name, null);
      for (const name of collections ?? []) named.set(name, null);
    }
    this.count(named.size);
    return { granted, named, others: null };
  }

  private keep(scope: CollectionScope, controller: string, action: string): Decision {
    const decision = decisionFor(scope.granted, controller, action);
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

function openCollection({ granted }: IndexScope, collection: string | null): CollectionScope {
  return {
    granted: granted.flatMap((rights) => toCollectionRights(rights, collection) ?? []),
    decisions: new Map(),
  };
}
