/*
 * Why a user may do something: the decision of the server, and the entries of roles that have made it. Policies are
 * decided one by one here, by the same rules as all of them together.
 */
import {
  ANONYMOUS,
  createRequest,
  INTERNAL_INDEX,
  SECURITY,
  STORAGE_ENGINE,
  type DocumentRight,
  type JsonObject,
  type Request,
  type Security,
  type StorageEngine,
  type StoredDocument,
  type Target,
  type User,
} from '@millrace/kernel';
import { compiledMapping, DocumentJudge } from '@millrace/search';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { ProfileStore } from './profiles/ProfileStore.js';
import { compileRights } from './rights/compileRights.js';
import { entryPath } from './rights/entryPath.js';
import { isDocumentRule } from './rights/Right.js';
import { RightJudge } from './rights/RightJudge.js';
import type { Verdict } from './rights/Rights.js';
import type { Grant } from './rights/Grant.js';
import { policyReason } from './rights/policyReason.js';
import { replaceReferences, resolveReference, Unresolved } from './rights/references.js';
import { RoleStore } from './roles/RoleStore.js';
import { claimsOf } from './users/UserRecord.js';
import { UserStore } from './users/UserStore.js';

const NOTHING: JsonObject = { match_none: {} };
const CONNECTION = { id: 'explanation', protocol: 'internal', remoteAddress: '' };

/** A policy of the user, and what it says. */
interface Policy extends Grant {
  readonly profile: string;
}

/** Where a decision comes from. */
type Origin = {
  readonly profile: string;
  readonly role: string;
  readonly path: string;
  /** In words that complete "the policy …". */
  readonly reason: string;
};

/** The right of a user to an action, with its origin. */
export type ExplainedRight = {
  readonly allowed: boolean;
  readonly reason: string;
  /** A query; absent: every document. */
  readonly documents?: JsonObject;
  /** The rule of all policies, or those of each. */
  readonly fields?: JsonObject | readonly JsonObject[];
  readonly decidedBy: readonly Origin[];
};

/** Explains rights. */
@scoped(Scope.ContainerScoped)
export class RightsExplanation {
  constructor(
    @inject(UserStore) private readonly users: UserStore,
    @inject(ProfileStore) private readonly profiles: ProfileStore,
    @inject(RoleStore) private readonly roles: RoleStore,
    @inject(RightJudge) private readonly judge: RightJudge,
    @inject(SECURITY) private readonly security: Security,
    @inject(STORAGE_ENGINE) private readonly engine: StorageEngine,
    @inject(INTERNAL_INDEX) private readonly internalIndex: string,
  ) {}

  /**
   * @param target its `id` is the document that the right is judged for; null: any
   * @throws security.user_not_found (404)
   */
  async explain(userId: string, target: Target): Promise<ExplainedRight> {
    const user = userId === ANONYMOUS._id ? ANONYMOUS : (await this.users.get(userId)).user;
    const request = requestOf(user, target);
    const policies = await this.policiesOf(user);
    const decided = await Promise.all(
      policies.map((policy) => this.decided(policy, request, target)),
    );
    const isAllowed = await this.security.isAllowed(request, target);
    const allowed = isAllowed && (await this.covers(this.rightOf(request, target), target));
    const origins = decided.filter(({ grants }) => grants === allowed);
    const verdicts = allowed ? origins.map(({ verdict }) => verdict) : [];
    const claims = claimsOf(user);
    const valued = (query: JsonObject) => own(query, claims);
    const decidedBy = origins.flatMap(({ policy: { profile, role }, path, ...answer }) => {
      if (path === undefined) return [];
      const reason = policyReason(answer, valued, target.id !== null);
      return [{ profile, role: role.id, path, reason }];
    });
    const reason = reasonOf({ allowed, decidedBy, policyCount: policies.length, target });
    return { allowed, reason, ...limitsOf(verdicts, valued), decidedBy };
  }

  private async decided(policy: Policy, request: Request, target: Target) {
    const verdict = this.verdictOf(policy, target);
    const unrestricted = this.verdictOf({ ...policy, restrictedTo: null }, target);
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

  private async policiesOf({ profileIds }: User): Promise<readonly Policy[]> {
    const policies: Policy[] = [];
    for (const profile of new Set(profileIds)) {
      const found = await this.profiles.find(profile);
      for (const { roleId, restrictedTo } of found?.content.policies ?? []) {
        const role = await this.roles.find(roleId);
        if (role !== null) policies.push({ profile, role: role.content, restrictedTo });
      }
    }
    return policies;
  }

  private verdictOf(policy: Policy, { controller, action, index, collection }: Target): Verdict {
    return compileRights([policy], this.internalIndex).decide(controller, action, index, collection);
  } // prettier-ignore

  /** Whether one policy alone would allow it. */
  private async grants(verdict: Verdict, request: Request, target: Target): Promise<boolean> {
    const facts = { subject: 'stored' } as const;
    return this.covers(this.judge.documentRight(verdict, { request, target, facts }), target);
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
    const judge = new DocumentJudge(right, compiledMapping(mapping), Date.now());
    return judge.covering(document).length > 0;
  }

  private async documentOf({ index, collection, id }: Target): Promise<StoredDocument | null> {
    if (index === null || collection === null || id === null) return null;
    if (!(await this.engine.hasCollection({ index, collection }))) return null;
    return this.engine.read({ index, collection }, id);
  }
}

function requestOf(user: User, { controller, action }: Target): Request {
  const request = createRequest({ controller, action }, CONNECTION);
  request.user = user;
  // Users with a token may always log out.
  if (user._id !== ANONYMOUS._id) {
    request.session = { tokenId: '', userId: user._id, expiresAtMs: Infinity };
  }
  return request;
}

interface Explained extends Pick<ExplainedRight, 'allowed' | 'decidedBy'> {
  readonly policyCount: number;
  readonly target: Target;
}

function reasonOf({ allowed, decidedBy, policyCount, target }: Explained): string {
  const { controller, action, index, collection } = target;
  if (decidedBy.length > 0) {
    const roles = decidedBy.map(({ role }) => `"${role}"`).join(', ');
    return allowed ? `granted by role ${roles}` : `no policy allows it; see role ${roles}`;
  }
  if (allowed) return 'every user may do this';
  if (policyCount === 0) return 'the user has no policies';
  const place = [index, collection].filter((name) => name !== null).join('/');
  const where = place === '' ? '' : ` on ${place}`;
  return `no role of the user has an entry for ${controller}.${action}${where}`;
}

/** What limits the union of some verdicts. */
function limitsOf(
  verdicts: readonly Verdict[],
  valued: (query: JsonObject) => JsonObject,
): Pick<ExplainedRight, 'documents' | 'fields'> {
  const rules = verdicts.flatMap((verdict) =>
    typeof verdict === 'boolean' ? [] : verdict.filter(isDocumentRule),
  );
  const isWhole = rules.length < verdicts.length;
  if (rules.length === 0 || isWhole) return {};
  const queries = rules.map(({ body }) => body['documents'] as JsonObject | undefined);
  const fields = distinct(rules.map(({ body }) => body['fields'] as JsonObject | undefined));
  return {
    ...(queries.every(isGiven) && { documents: anyOf(queries.map(valued)) }),
    ...(fields.every(isGiven) && { fields: fields.length === 1 ? fields[0] as JsonObject : fields }),
  };
} // prettier-ignore

/** The query with the values of the user. */
function own(query: JsonObject, claims: JsonObject): JsonObject {
  try {
    return replaceReferences(query, (path, isList) => resolveReference(claims, path, isList));
  } catch (error) {
    if (error instanceof Unresolved) return NOTHING;
    throw error;
  }
}

function anyOf(queries: readonly JsonObject[]): JsonObject {
  const each = distinct(queries);
  return each.length === 1 ? (each[0] as JsonObject) : { bool: { should: each } };
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}
