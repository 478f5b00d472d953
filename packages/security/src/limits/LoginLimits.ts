import { authErrors, CLOCK, toAddressKey, type Clock } from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { AttemptLimiter, type Attempt } from './AttemptLimiter.js';

const MAX_ACCOUNT_LENGTH = 512;

/** Which limiter a shared key belongs to. */
type LimiterName = 'account' | 'address' | 'signUp';

/**
 * Limits of failed logins and of sign-ups (decisions.md section 7). Keys are made of the peer's address as the socket
 * gives it and of the account tried, never of anything else that a client sends.
 */
@injectable()
export class LoginLimits {
  private readonly byAccount: AttemptLimiter;
  private readonly byAddress: AttemptLimiter;
  private readonly signUps: AttemptLimiter;
  private tell: (key: string) => void = () => undefined;

  constructor(
    @inject(SECURITY_CONFIG) { login, signUp }: SecurityConfig,
    @inject(CLOCK) clock: Clock,
  ) {
    const { windowMs, maxFailuresPerAccount, maxFailuresPerAddress } = login;
    this.byAccount = new AttemptLimiter({ maxFailures: maxFailuresPerAccount, windowMs }, clock);
    this.byAddress = new AttemptLimiter({ maxFailures: maxFailuresPerAddress, windowMs }, clock);
    const { maxPerAddress: maxFailures } = signUp;
    this.signUps = new AttemptLimiter({ maxFailures, windowMs: signUp.windowMs }, clock);
  }

  /** Who tells other nodes of failures here, by a text that their `failedElsewhere` understands. */
  share(tell: (key: string) => void): void {
    this.tell = tell;
  }

  /** A failure on another node counts as one here. */
  failedElsewhere(shared: string): void {
    const at = shared.indexOf(' ');
    const key = shared.slice(at + 1);
    const limiters: Readonly<Record<LimiterName, AttemptLimiter>> = {
      account: this.byAccount,
      address: this.byAddress,
      signUp: this.signUps,
    };
    const name = shared.slice(0, at);
    if (Object.hasOwn(limiters, name)) limiters[name as LimiterName].count(key);
  }

  /** Before a login is tried. @throws auth.too_many_attempts (429) */
  async beginLogin(remoteAddress: string, account: string | null): Promise<Attempt> {
    const address = toAddressKey(remoteAddress);
    const ofAddress = await this.byAddress.begin(address);
    if (typeof ofAddress === 'number') throw tooMany(ofAddress, authErrors.too_many_attempts);
    if (account === null) return this.shared(ofAddress, [['address', address]]);
    const key = `${address}\0${account.slice(0, MAX_ACCOUNT_LENGTH)}`;
    const ofAccount = await this.byAccount.begin(key);
    if (typeof ofAccount === 'number') {
      ofAddress.ended();
      throw tooMany(ofAccount, authErrors.too_many_attempts);
    }
    const both: Attempt = {
      failed: () => [ofAddress, ofAccount].forEach((attempt) => attempt.failed()),
      ended: () => [ofAddress, ofAccount].forEach((attempt) => attempt.ended()),
    };
    return this.shared(both, [
      ['address', address],
      ['account', key],
    ]);
  }

  /** Counts a sign-up without a token. @throws auth.too_many_sign_ups (429) */
  async countSignUp(remoteAddress: string): Promise<void> {
    const key = toAddressKey(remoteAddress);
    const attempt = await this.signUps.begin(key);
    if (typeof attempt === 'number') throw tooMany(attempt, authErrors.too_many_sign_ups);
    this.shared(attempt, [['signUp', key]]).failed();
  }

  private shared(attempt: Attempt, keys: readonly (readonly [LimiterName, string])[]): Attempt {
    return {
      failed: () => {
        attempt.failed();
        for (const [name, key] of keys) this.tell(`${name} ${key}`);
      },
      ended: attempt.ended,
    };
  }
}

function tooMany(waitMs: number, error: typeof authErrors.too_many_attempts) {
  return error({}, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
}
