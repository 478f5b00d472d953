import { authErrors, CLOCK, type Clock } from '@millrace/kernel';
import { inject, injectable } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { AttemptLimiter, type Attempt } from './AttemptLimiter.js';
import { toAddressKey } from './toAddressKey.js';

const MAX_ACCOUNT_LENGTH = 512;

/**
 * Limits of failed logins and of sign-ups (decisions.md section 7). Keys are made of the peer's address as the socket
 * gives it and of the account tried, never of anything else that a client sends.
 */
@injectable()
export class LoginLimits {
  private readonly byAccount: AttemptLimiter;
  private readonly byAddress: AttemptLimiter;
  private readonly signUps: AttemptLimiter;

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

  /** Before a login is tried. @throws auth.too_many_attempts (429) */
  async beginLogin(remoteAddress: string, account: string | null): Promise<Attempt> {
    const address = toAddressKey(remoteAddress);
    const ofAddress = await this.byAddress.begin(address);
    if (typeof ofAddress === 'number') throw tooMany(ofAddress, authErrors.too_many_attempts);
    if (account === null) return ofAddress;
    const key = `${address}\0${account.slice(0, MAX_ACCOUNT_LENGTH)}`;
    const ofAccount = await this.byAccount.begin(key);
    if (typeof ofAccount === 'number') {
      ofAddress.ended();
      throw tooMany(ofAccount, authErrors.too_many_attempts);
    }
    return {
      failed: () => [ofAddress, ofAccount].forEach((attempt) => attempt.failed()),
      ended: () => [ofAddress, ofAccount].forEach((attempt) => attempt.ended()),
    };
  }

  /** Counts a sign-up without a token. @throws auth.too_many_sign_ups (429) */
  async countSignUp(remoteAddress: string): Promise<void> {
    const attempt = await this.signUps.begin(toAddressKey(remoteAddress));
    if (typeof attempt === 'number') throw tooMany(attempt, authErrors.too_many_sign_ups);
    attempt.failed();
  }
}

function tooMany(waitMs: number, error: typeof authErrors.too_many_attempts) {
  return error({}, { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
}
