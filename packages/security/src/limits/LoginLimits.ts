import { createHash } from 'node:crypto';
import {
  authErrors,
  CLOCK,
  NODE_LINK,
  toAddressKey,
  type Clock,
  type NodeLink,
  type RateLimit,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { AttemptLimiter, type Attempt } from './AttemptLimiter.js';
import { TokenBuckets } from './TokenBuckets.js';

/** Topic of a failure that another node counts too; its key is for `failedElsewhere`. */
export const FAILURE = 'security.failure';

/** Longer names are replaced by their hash: anyone can invent 100,000 of any length. */
const MAX_ACCOUNT_LENGTH = 64;

/** The limiter that a shared key belongs to. */
type LimiterName = 'account' | 'address' | 'signUp' | 'setup';

/**
 * Limits failed logins, sign-ups (SEC-62) and every operation that computes a password hash. Keys consist of the
 * client's address and the account only, never of other values sent by the client.
 */
@scoped(Scope.ContainerScoped)
export class LoginLimits {
  private readonly attempts: Readonly<Record<LimiterName, AttemptLimiter>>;
  private readonly hashes: TokenBuckets;
  private readonly renewals: TokenBuckets;
  private readonly limit: RateLimit;

  constructor(
    @inject(SECURITY_CONFIG) { login, signUp }: SecurityConfig,
    @inject(CLOCK) clock: Clock,
    @inject(NODE_LINK) private readonly link: NodeLink,
  ) {
    const { windowMs, maxFailuresPerAccount, maxFailuresPerAddress } = login;
    const limited = (maxFailures: number, withinMs: number) =>
      new AttemptLimiter({ maxFailures, windowMs: withinMs }, clock);
    this.attempts = {
      account: limited(maxFailuresPerAccount, windowMs),
      address: limited(maxFailuresPerAddress, windowMs),
      signUp: limited(signUp.maxPerAddress, signUp.windowMs),
      setup: limited(maxFailuresPerAccount, windowMs),
    };
    this.limit = { perSecond: login.maxPerMinute / 60, burst: login.burst };
    this.hashes = new TokenBuckets(clock);
    this.renewals = new TokenBuckets(clock);
  }

  /** Counts a failure on another node like one here. */
  failedElsewhere(shared: string): void {
    const at = shared.indexOf(' ');
    const name = shared.slice(0, at);
    if (Object.hasOwn(this.attempts, name)) this.attempts[name as LimiterName].count(shared.slice(at + 1));
  }

  /** Call before hashing a password for an account. @throws auth.too_many_logins (429) */
  takeHash(remoteAddress: string, account: string): void {
    const waitMs = this.hashes.take(accountKey(toAddressKey(remoteAddress), account), this.limit);
    if (waitMs > 0) throw tooMany(waitMs, authErrors.too_many_logins);
  }

  /** Call before renewing a token, whatever the address. @throws auth.too_many_logins (429) */
  takeRenewal(userId: string): void {
    const waitMs = this.renewals.take(userId, this.limit);
    if (waitMs > 0) throw tooMany(waitMs, authErrors.too_many_logins);
  }

  /** Call before attempting a login. @throws auth.too_many_attempts, auth.too_many_logins (429) */
  async beginLogin(remoteAddress: string, account: string | null): Promise<Attempt> {
    if (account !== null) this.takeHash(remoteAddress, account);
    const address = toAddressKey(remoteAddress);
    const ofAddress = await this.begin('address', address, authErrors.too_many_attempts);
    if (account === null) return ofAddress;
    try {
      const ofAccount = await this.begin('account', accountKey(address, account), authErrors.too_many_attempts);
      return {
        failed: () => [ofAddress, ofAccount].forEach((attempt) => attempt.failed()),
        ended: () => [ofAddress, ofAccount].forEach((attempt) => attempt.ended()),
      };
    } catch (error) {
      ofAddress.ended();
      throw error;
    }
  }

  /** Counts a sign-up without a token. @throws auth.too_many_sign_ups (429) */
  async countSignUp(remoteAddress: string): Promise<void> {
    const attempt = await this.begin('signUp', toAddressKey(remoteAddress), authErrors.too_many_sign_ups);
    attempt.failed();
  }

  /** Call before comparing a setup token. @throws auth.too_many_setup_attempts (429) */
  beginSetup(remoteAddress: string): Promise<Attempt> {
    return this.begin('setup', toAddressKey(remoteAddress), authErrors.too_many_setup_attempts);
  }

  /** An attempt whose failure counts on every node. */
  private async begin(name: LimiterName, key: string, error: typeof authErrors.too_many_attempts): Promise<Attempt> {
    const attempt = await this.attempts[name].begin(key);
    if (typeof attempt === 'number') throw tooMany(attempt, error);
    const failed = () => {
      attempt.failed();
      this.link.announce(FAILURE, `${name} ${key}`, '');
    };
    return { failed, ended: attempt.ended };
  }
}

/** Has a bounded length, and no part of a long name, which would keep the whole string in memory. */
function accountKey(address: string, account: string): string {
  if (account.length <= MAX_ACCOUNT_LENGTH) return `${address}\0${account}`;
  return `${address}\0${createHash('sha256').update(account).digest('base64url')}`;
}

function tooMany(waitMs: number, error: typeof authErrors.too_many_attempts) {
  return error({}, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
}
