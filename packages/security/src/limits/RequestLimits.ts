/*
 * Rate limits of requests (LIMIT-1): a bucket per API key, user or address, the same for all protocols; the API keys of a
 * user have another one together (LIMIT-8). On a cluster all
 * nodes share the buckets (`SharedBuckets`).
 *
 * Limits come from profiles (`rateLimit`), else from the configuration. Nothing is counted for callers without a limit.
 */
import {
  andThen,
  ANONYMOUS,
  apiErrors,
  CLOCK,
  NODE_LINK,
  toAddressKey,
  type Clock,
  type MaybePromise,
  type NodeLink,
  type RateLimit,
  type RateLimits,
  type RateLimitState,
  type Request,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RightsTable } from '../RightsTable.js';
import { LIMITS_CONFIG, type LimitsConfig } from './limitsConfig.js';
import { SharedBuckets } from './SharedBuckets.js';
import { TokenBuckets } from './TokenBuckets.js';

/** Needed to behave well: they end something, or ask whether the server is well (LIMIT-5). */
const NEVER_LIMITED: ReadonlyMap<string, readonly string[]> = new Map([
  ['auth', ['logout']],
  ['realtime', ['unsubscribe', 'unfollow', 'ack']],
  ['server', ['healthCheck']],
]);

/** Names of scopes in messages. */
const SCOPES: Readonly<Record<RateLimitState['scope'], string>> = {
  key: 'API key',
  user: 'user',
  address: 'address',
};

/** The bucket of all API keys of a user holds so many times as much as that of one. */
const KEYS_TOGETHER = 10;

interface Bucket {
  readonly scope: RateLimitState['scope'];
  readonly key: string;
  readonly limit: RateLimit;
}

/** The rate limits of a server. */
@scoped(Scope.ContainerScoped)
export class RequestLimits implements RateLimits {
  private readonly buckets: TokenBuckets | SharedBuckets;

  constructor(
    @inject(LIMITS_CONFIG) private readonly config: LimitsConfig,
    @inject(RightsTable) private readonly rights: RightsTable,
    @inject(NODE_LINK) nodes: NodeLink,
    @inject(CLOCK) clock: Clock,
  ) {
    this.buckets = nodes.isClustered ? new SharedBuckets(nodes, clock) : new TokenBuckets(clock);
  }

  /** @throws api.too_many_requests (429) */
  take(request: Request): MaybePromise<void> {
    const { controller, action, connection } = request;
    // The embedding program itself has no address.
    if (connection.remoteAddress === '') return;
    if (NEVER_LIMITED.get(controller)?.includes(action) === true) return;
    return andThen(this.rights.rateLimitOf(request.user.profileIds), (ofProfiles) =>
      this.takeFrom(request, this.bucketOf(request, ofProfiles)),
    );
  }

  charge(request: Request, cost: number): void {
    const { rateLimit } = request;
    if (rateLimit === null || !(cost > 0)) return;
    const { key, limit } = rateLimit;
    this.buckets.charge(key, limit, cost);
    const ofKeys = keysBucketOf(request, limit);
    if (ofKeys !== undefined) this.buckets.charge(ofKeys.key, ofKeys.limit, cost);
  }

  private takeFrom(request: Request, bucket: Bucket): MaybePromise<void> {
    const { key, limit } = bucket;
    if (limit.perSecond === 0) return;
    return andThen(this.buckets.take(key, limit), (waitMs) => {
      const remaining = this.buckets.remaining(key, limit);
      const resetMs = this.buckets.resetMs(key);
      request.rateLimit = { scope: bucket.scope, key, limit, remaining, resetMs };
      if (waitMs > 0) throw tooMany(bucket, waitMs);
      const ofKeys = keysBucketOf(request, limit);
      return ofKeys && this.takeTogether(ofKeys);
    });
  }

  private takeTogether(bucket: Bucket): MaybePromise<void> {
    return andThen(this.buckets.take(bucket.key, bucket.limit), (waitMs) => {
      if (waitMs > 0) throw tooMany(bucket, waitMs);
    });
  }

  private bucketOf({ session, user, connection }: Request, ofProfiles: RateLimit | null): Bucket {
    const { user: ofUsers, anonymous } = this.config;
    const { apiKeyId } = session ?? {};
    if (apiKeyId !== undefined) {
      return { scope: 'key', key: `k:${apiKeyId}`, limit: ofProfiles ?? ofUsers };
    }
    if (session !== null || user._id !== ANONYMOUS._id) {
      return { scope: 'user', key: `u:${user._id}`, limit: ofProfiles ?? ofUsers };
    }
    const address = toAddressKey(connection.remoteAddress);
    return { scope: 'address', key: `a:${address}`, limit: ofProfiles ?? anonymous };
  }
}

/** The bucket that all API keys of a user have together (LIMIT-8): without it, each new key would bring another limit. */
function keysBucketOf({ session, user }: Request, limit: RateLimit): Bucket | undefined {
  if (session?.apiKeyId === undefined) return undefined;
  const { perSecond, burst } = limit;
  const together = { perSecond: KEYS_TOGETHER * perSecond, burst: KEYS_TOGETHER * burst };
  return { scope: 'user', key: `ks:${user._id}`, limit: together };
}

function tooMany({ scope, limit }: Bucket, waitMs: number): Error {
  const retryAfterMs = Math.ceil(waitMs);
  return apiErrors.too_many_requests(
    { scope: SCOPES[scope], ...limit },
    { retryAfterSeconds: retryAfterMs / 1_000, details: { retryAfterMs } },
  );
}
