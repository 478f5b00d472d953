/*
 * Why a user may do something: the decision of the server, and the entries of roles that have made it. Policies are
 * decided one by one here, by the same rules as all of them together.
 */
import {
  ANONYMOUS,
  CLOCK,
  createRequest,
  SECURITY,
  securityErrors,
  STORAGE_ENGINE,
  type Clock,
  type DocumentRight,
  type JsonObject,
  type Request,
  type Security,
  type StorageEngine,
  type StoredDocument,
  type Target,
  type User,
} from '@millrace/kernel';
import { compiledMapping, DocumentTest } from '@millrace/search';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ApiKeyStore } from './keys/ApiKeyStore.js';
import { actsAsAdministrator, limitUser } from './rights/limitUser.js';
import { isApiKeyId } from './keys/parseApiKey.js';
import type { LoadedApiKey } from './keys/ApiKeyRecord.js';
import { ProfileStore } from './roles/ProfileStore.js';
import { ADMINISTRATOR_ACTIONS } from './rights/ADMINISTRATOR_ACTIONS.js';
import { isOneOf } from './rights/ActionNames.js';
import { entryPath } from './rights/entryPath.js';
import { RightDecider } from './rights/RightDecider.js';
import type { Verdict } from './rights/Rights.js';
import type { Grant } from './rights/Grant.js';
import { bothLimits, limitsOfVerdicts, withValues, type ExplainedLimits } from './rights/limitsOfVerdicts.js';
import type { Policy } from './rights/Policy.js';
import { policyReason } from './rights/policyReason.js';
import { REFUSED_TO_API_KEYS } from './rights/REFUSED_TO_API_KEYS.js';
import { RoleStore } from './roles/RoleStore.js';
import { isAdministrator } from './rights/BUILT_IN_ROLES.js';
import { claimsOf } from './rights/userClaims.js';
import { UserStore } from './users/UserStore.js';

const CONNECTION = { id: 'explanation', protocol: 'internal', remoteAddress: '' };

/** Whose policy it is. */
type Holder = { readonly profile: string } | { readonly apiKey: string };

/** A policy with its role. */
interface HeldPolicy extends Grant {
  readonly holder: Holder;
}

/** Where a decision comes from. */
type Origin = Holder & {
  readonly role: string;
  readonly path: string;
  /** In words that complete "the policy …". */
  readonly reason: string;
};

/** The right of a user or an API key to an action, with its origin. */
export type ExplainedRight = ExplainedLimits & {
  readonly allowed: boolean;
  readonly reason: string;
  readonly decidedBy: readonly Origin[];
};

/** A caller whose right is explained by some policies. */
interface Asked {
  readonly caller: User;
  /** The key of the request. */
  readonly apiKeyId: string | null;
  /** Those that decide, and in whose words. */
  readonly policies: readonly HeldPolicy[];
  readonly who: string;
  readonly target: Target;
}

/** Explains rights. */
@scoped(Scope.ContainerScoped)
export class RightsExplanation {
  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(RightDecider) private readonly decider: RightDecider,
    @inject(SECURITY) private readonly security: Security,
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(ApiKeyStore) private readonly keys: ApiKeyStore,
    @inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param target its `id` is the document that the right is judged for; null: any
   * @param apiKeyId a key of the user; null: the user without a key
   * @throws security.user_not_found, security.api_key_not_found (404)
   */
  async explain(userId: string, target: Target, apiKeyId: string | null): Promise<ExplainedRight> {
    const record = userId === ANONYMOUS._id ? null : await this.users.get(userId);
    const user = record?.user ?? ANONYMOUS;
    const key = apiKeyId === null ? null : await this.keyOf(record?.suid, apiKeyId);
    const policies = await this.policiesOf(user);
    const own = await this.explained({ caller: user, apiKeyId: null, policies, who: 'the user', target });
    return key === null ? own : this.explainKey(key, user, own, target);
  }

  /**
   * A request of the user, or with the key, as the server would decide it; null: it would be refused.
   * @throws as `explain`
   */
  async requestOf(userId: string, target: Target, apiKeyId: string | null): Promise<Request | null> {
    const record = userId === ANONYMOUS._id ? null : await this.users.get(userId);
    const user = record?.user ?? ANONYMOUS;
    if (apiKeyId === null) return requestOf({ caller: user, apiKeyId, target });
    const key = await this.keyOf(record?.suid, apiKeyId);
    if (this.denialOf(key, target) !== null) return null;
    const caller = key.policies === null ? user : limitUser(user, key.policies);
    return requestOf({ caller, apiKeyId: key.id, target });
  }

  /** Why a key is accepted for no request; null: it is. */
  private denialOf({ expiresAtMs }: LoadedApiKey, { controller, action }: Target): string | null {
    if ((expiresAtMs ?? Infinity) <= this.clock.nowMs()) return 'the API key has expired';
    return isOneOf(REFUSED_TO_API_KEYS, controller, action)
      ? `no API key is accepted for ${controller}.${action}`
      : null;
  }

  /** @param own the right of the owner */
  private async explainKey(
    key: LoadedApiKey,
    owner: User,
    own: ExplainedRight,
    target: Target,
  ): Promise<ExplainedRight> {
    const denial = this.denialOf(key, target);
    if (denial !== null) return { allowed: false, reason: denial, decidedBy: [] };
    if (!own.allowed) return { ...own, reason: `its owner may not: ${own.reason}` };
    if (key.policies === null) return own;
    const within = await this.explained({
      caller: limitUser(owner, key.policies),
      apiKeyId: key.id,
      policies: await this.heldPolicies({ apiKey: key.id }, key.policies),
      who: 'the API key',
      target,
    });
    if (!within.allowed) return within;
    return {
      allowed: true,
      reason: `${own.reason}, and within the policies of the API key`,
      ...bothLimits(own, within),
      decidedBy: [...own.decidedBy, ...within.decidedBy],
    };
  } // prettier-ignore

  private async explained(asked: Asked): Promise<ExplainedRight> {
    const { caller, policies, target } = asked;
    const request = requestOf(asked);
    const decided = await Promise.all(policies.map((policy) => this.decided(policy, request, target)));
    const isAllowed = await this.security.isAllowed(request, target);
    const allowed = isAllowed && (await this.covers(this.rightOf(request, target), target));
    const origins = decided.filter(({ grants }) => grants === allowed);
    const verdicts = allowed ? origins.map(({ verdict }) => verdict) : [];
    const claims = claimsOf(caller);
    const valued = (query: JsonObject) => withValues(query, claims);
    const decidedBy = origins.flatMap(({ policy: { holder, role }, path, ...answer }) => {
      if (path === undefined) return [];
      const reason = policyReason(answer, valued, target.id !== null);
      return [{ ...holder, role: role.id, path, reason }];
    });
    const reason = reasonOf(asked, { allowed, decidedBy });
    return { allowed, reason, ...limitsOfVerdicts(verdicts, valued), decidedBy };
  }

  /** @throws security.api_key_not_found (404) */
  private async keyOf(suid: string | undefined, keyId: string): Promise<LoadedApiKey> {
    const key = isApiKeyId(keyId) ? await this.keys.reload(keyId) : null;
    if (key !== null && key.suid === suid) return key;
    throw securityErrors.api_key_not_found({ keyId: keyId.slice(0, 100) });
  }

  private async decided(policy: HeldPolicy, request: Request, target: Target) {
    const verdict = this.decider.verdictOfGrants([policy], target);
    const unrestricted = this.decider.verdictOfGrants([{ ...policy, restrictedTo: null }], target);
    return {
      policy,
      path: entryPath(policy.role, target),
      verdict,
      grants: await this.grants(verdict, request, target),
      isRestricted: verdict === false && unrestricted !== false,
    };
  }

  private async rightOf(request: Request, target: Target): Promise<boolean | DocumentRight> {
    return (await this.security.documentRight?.(request, target)) ?? true;
  }

  private async policiesOf({ profileIds }: User): Promise<readonly HeldPolicy[]> {
    const policies: HeldPolicy[] = [];
    for (const profile of new Set(profileIds)) {
      const found = await this.profiles.find(profile);
      policies.push(...(await this.heldPolicies({ profile }, found?.content.policies ?? [])));
    }
    return policies;
  }

  private async heldPolicies(holder: Holder, policies: readonly Policy[]): Promise<readonly HeldPolicy[]> {
    const held: HeldPolicy[] = [];
    for (const { roleId, restrictedTo } of policies) {
      const role = await this.roles.find(roleId);
      if (role !== null) held.push({ holder, role: role.content, restrictedTo });
    }
    return held;
  }

  /** Whether one policy alone would allow it. */
  private async grants(verdict: Verdict, request: Request, target: Target): Promise<boolean> {
    const facts = { subject: 'stored' } as const;
    return this.covers(this.decider.documentRight(verdict, { request, target, facts }), target);
  }

  /** Whether a right allows the action on the document of the target, if it names one that exists. */
  private async covers(
    pending: boolean | DocumentRight | Promise<boolean | DocumentRight>,
    target: Target,
  ): Promise<boolean> {
    const right = await pending;
    if (typeof right === 'boolean') return right;
    const document = await this.documentOf(target);
    if (document === null) return true;
    const { index, collection } = target;
    const mapping = await this.engine.getMapping({ index, collection } as never);
    const test = new DocumentTest(right, compiledMapping(mapping), Date.now());
    return test.covering(document).length > 0;
  }

  private async documentOf({ index, collection, id }: Target): Promise<StoredDocument | null> {
    if (index === null || collection === null || id === null) return null;
    if (!(await this.engine.hasCollection({ index, collection }))) return null;
    return this.engine.read({ index, collection }, id);
  }
}

function requestOf({
  caller,
  apiKeyId,
  target: { controller, action },
}: Pick<Asked, 'caller' | 'apiKeyId' | 'target'>): Request {
  const request = createRequest({ controller, action }, CONNECTION);
  request.user = caller;
  // Users with a token may always log out.
  if (caller._id !== ANONYMOUS._id) {
    const session = { tokenId: '', userId: caller._id, expiresAtMs: Infinity };
    request.session = apiKeyId === null ? session : { ...session, apiKeyId };
  }
  return request;
}

function reasonOf(
  { caller, policies, who, target }: Asked,
  { allowed, decidedBy }: Pick<ExplainedRight, 'allowed' | 'decidedBy'>,
): string {
  const { controller, action, index, collection } = target;
  const isReserved = isOneOf(ADMINISTRATOR_ACTIONS, controller, action);
  if (!allowed && isReserved && !actsAsAdministrator(caller)) {
    if (isAdministrator(caller)) return 'reserved to administrators: no API key with policies is one';
    return 'reserved to administrators, users with the profile "admin"';
  }
  if (decidedBy.length > 0) {
    const roles = decidedBy.map(({ role }) => `"${role}"`).join(', ');
    if (allowed) return `granted by role ${roles}`;
    return `no policy${who === 'the user' ? '' : ` of ${who}`} allows it; see role ${roles}`;
  }
  if (allowed) return 'every user may do this';
  if (policies.length === 0) return `${who} has no policies`;
  const place = [index, collection].filter((name) => name !== null).join('/');
  const where = place === '' ? '' : ` on ${place}`;
  return `no role of ${who} has an entry for ${controller}.${action}${where}`;
}
