/*
 * Issues and verifies tokens. Problem: verifying a signature takes 35 µs, and every request carries a token. Idea:
 * verified tokens are cached with their claims, and each use only re-checks what may change: the time, the
 * revocations and the user's `gen`. Both of the latter are in memory, so a cached token is checked without a promise.
 *
 * Algorithm and key come from the server's configuration only: the header fields `kid`, `jku`, `jwk` and `x5u` are
 * ignored, and every `crit` is refused.
 */
import {
  apiErrors,
  authErrors,
  CLOCK,
  ID_GENERATOR,
  isThenable,
  showValue,
  type Clock,
  type IdGenerator,
  type MaybePromise,
  type Session,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { JOSE } from '../LIBRARIES.js';
import type { UserRecord } from '../users/UserRecord.js';
import { UserStore } from '../users/UserStore.js';
import { decodeToken } from './decodeToken.js';
import { parseTimeSpan } from './parseTimeSpan.js';
import { Revocations } from './Revocations.js';
import { SigningKey } from './SigningKey.js';

/** Why a token is invalid; faults are checked in this order (SEC-53). */
export type TokenFault = 'malformed' | 'invalid signature' | 'expired' | 'revoked';

/** Result of checking a token. */
export type TokenState =
  | { readonly valid: true; readonly session: Session; readonly record: UserRecord }
  | { readonly valid: false; readonly fault: TokenFault };

/** A new token. */
export interface IssuedToken {
  readonly jwt: string;
  readonly session: Session;
}

/** Claims of a session that are not part of the contract between packages. */
export interface SessionClaims {
  readonly gen: string;
  /** Last login of the user, UTC seconds; `refreshToken` carries it over. Null if the token doesn't contain it. */
  readonly loggedInAt: number | null;
  /** Time of issue, UTC seconds. */
  readonly issuedAt: number;
}

interface VerifiedToken extends SessionClaims {
  readonly session: Session;
}

/** Tolerated clock difference between nodes. */
const LEEWAY_SECONDS = 60;

const FAULTS: Readonly<Record<TokenFault, TokenState>> = {
  malformed: { valid: false, fault: 'malformed' },
  'invalid signature': { valid: false, fault: 'invalid signature' },
  expired: { valid: false, fault: 'expired' },
  revoked: { valid: false, fault: 'revoked' },
};

/** Issues and verifies tokens. One per server. */
@scoped(Scope.ContainerScoped)
export class Tokens {
  private readonly verified = new Map<string, VerifiedToken>();
  private readonly claims = new WeakMap<Session, SessionClaims>();

  constructor(
    @inject(SigningKey) private readonly key: SigningKey,
    @inject(UserStore) private readonly users: UserStore,
    @inject(Revocations) private readonly revocations: Revocations,
    @inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  /** Life of a token in seconds. @param given absent: the default @throws api.invalid_argument (400) */
  lifeSeconds(given: unknown): number {
    const { expiresIn, maxTTL } = this.config.jwt;
    const maxSeconds = parseTimeSpan(maxTTL) ?? 0;
    if (given === undefined) return Math.min(parseTimeSpan(expiresIn) ?? 0, maxSeconds);
    const seconds = parseTimeSpan(given);
    if (seconds !== undefined && seconds <= maxSeconds) return seconds;
    const expected = `a number of seconds or a time span such as "2 days", above zero and at most ${maxSeconds} seconds`;
    throw apiErrors.invalid_argument({ name: 'expiresIn', value: showValue(given), expected });
  }

  /**
   * Issues a token.
   * @param loggedInAt login of the user, UTC seconds: now, unless the token continues a session
   */
  async issue(
    { id: userId, gen }: UserRecord,
    lifeSeconds: number,
    loggedInAt = this.nowSeconds(),
  ): Promise<IssuedToken> {
    const { SignJWT } = await JOSE.load();
    const { algorithm, signWith } = this.key.loaded;
    const tokenId = this.ids.next();
    const issuedAt = this.nowSeconds();
    const expiresAt = Math.min(issuedAt + lifeSeconds, loggedInAt + this.maxSessionSeconds);
    const jwt = await new SignJWT({ gen, auth_time: loggedInAt })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setSubject(userId)
      .setJti(tokenId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(signWith);
    const session = { tokenId, userId, expiresAtMs: expiresAt * 1_000 };
    this.keep(jwt, { session, gen, loggedInAt, issuedAt });
    return { jwt, session };
  }

  /**
   * Start of a token's session, UTC seconds, if the session may still be continued. Tokens of versions that didn't
   * store the login time count from their time of issue.
   * @throws auth.session_too_old (401)
   */
  beginOf(session: Session): number {
    const claims = this.claims.get(session);
    const begunAt = claims?.loggedInAt ?? claims?.issuedAt ?? 0;
    if (this.nowSeconds() - begunAt < this.maxSessionSeconds) return begunAt;
    const { maxSessionAge } = this.config.jwt;
    const maxAge = typeof maxSessionAge === 'number' ? `${maxSessionAge} seconds` : maxSessionAge;
    throw authErrors.session_too_old({ maxAge });
  }

  /**
   * Whether the user of this session has logged in within the given seconds. A refreshed token keeps its login time.
   */
  isLoginWithin(session: Session, seconds: number): boolean {
    const loggedInAt = this.claims.get(session)?.loggedInAt ?? null;
    if (loggedInAt === null) return false;
    const age = this.nowSeconds() - loggedInAt;
    // Further in the future than clocks of nodes differ: the clock was wrong then or is wrong now.
    return age >= -LEEWAY_SECONDS && age <= seconds;
  }

  /** Returns a value if the token is cached and its user is in memory. Never fails for a string. */
  check(token: string): MaybePromise<TokenState> {
    const known = this.verified.get(token);
    return known === undefined ? this.verify(token) : this.decide(known);
  }

  /** The user of a session returned by `check` or `issue`; null once it has ended. */
  ownerOf(session: Session): MaybePromise<UserRecord | null> {
    const claims = this.claims.get(session);
    if (claims === undefined) return null;
    const state = this.decide({ session, ...claims });
    return isThenable(state) ? state.then(recordOf) : recordOf(state);
  }

  /** The claims of an issued session, for other nodes. */
  claimsOf(session: Session): SessionClaims | undefined {
    return this.claims.get(session);
  }

  /** Registers a session issued by another node. */
  adopt(session: Session, claims: SessionClaims): void {
    this.claims.set(session, claims);
  }

  private async verify(token: string): Promise<TokenState> {
    const claims = decodeToken(token);
    if (claims === null) return FAULTS.malformed;
    const { compactVerify } = await JOSE.load();
    const { algorithm, verifyWith } = this.key.loaded;
    try {
      const { protectedHeader } = await compactVerify(token, verifyWith, {
        algorithms: [algorithm],
      });
      // jose accepts `crit` with b64, which changes the payload's encoding from the one read here.
      if (protectedHeader.crit !== undefined) return FAULTS['invalid signature'];
    } catch {
      return FAULTS['invalid signature'];
    }
    const { sub, jti, exp, iat, gen, auth_time: loggedInAt = null } = claims;
    const isWhole = typeof sub === 'string' && typeof jti === 'string' && typeof gen === 'string';
    if (!isWhole || typeof exp !== 'number' || typeof iat !== 'number') return FAULTS.malformed;
    if (loggedInAt !== null && typeof loggedInAt !== 'number') return FAULTS.malformed;
    if (this.isTooLong(iat, exp)) return FAULTS.expired;
    const session = { tokenId: jti, userId: sub, expiresAtMs: exp * 1_000 };
    const verified = { session, gen, loggedInAt, issuedAt: iat };
    this.keep(token, verified);
    return this.decide(verified);
  }

  /**
   * True if the life exceeds this server's maximum, whoever signed the token: the key has leaked, or `maxTTL` was
   * lowered.
   */
  private isTooLong(issuedAt: number, expiresAt: number): boolean {
    // A future time of issue counts as now; otherwise two times far ahead would look like a short life.
    const begin = Math.min(issuedAt, this.nowSeconds() + LEEWAY_SECONDS);
    return expiresAt - begin > (parseTimeSpan(this.config.jwt.maxTTL) ?? 0);
  }

  private get maxSessionSeconds(): number {
    return parseTimeSpan(this.config.jwt.maxSessionAge) ?? 0;
  }

  private nowSeconds(): number {
    return Math.round(this.clock.nowMs() / 1_000);
  }

  private decide(verified: VerifiedToken): MaybePromise<TokenState> {
    const { session } = verified;
    if (session.expiresAtMs <= this.clock.nowMs()) return FAULTS.expired;
    const isRevoked = this.revocations.has(session);
    if (isThenable(isRevoked)) {
      return isRevoked.then((is) => (is ? FAULTS.revoked : this.decideUser(verified)));
    }
    return isRevoked ? FAULTS.revoked : this.decideUser(verified);
  }

  private decideUser(verified: VerifiedToken): MaybePromise<TokenState> {
    const { session } = verified;
    const found = this.users.find(session.userId);
    if (!isThenable(found)) return stateOf(verified, found);
    return found.then((record) => stateOf(verified, record));
  }

  private keep(token: string, verified: VerifiedToken): void {
    const { session, gen, loggedInAt, issuedAt } = verified;
    this.claims.set(session, { gen, loggedInAt, issuedAt });
    if (this.verified.size >= this.config.cache.maxTokens) {
      for (const oldest of this.verified.keys()) {
        this.verified.delete(oldest);
        break;
      }
    }
    this.verified.set(token, verified);
  }
}

function recordOf(state: TokenState): UserRecord | null {
  return state.valid ? state.record : null;
}

/** A token is valid while its `gen` is the user's, or if its id is the `keptTokenId`. */
function stateOf({ session, gen }: VerifiedToken, record: UserRecord | null): TokenState {
  const isUsers = record !== null && (record.gen === gen || record.keptTokenId === session.tokenId);
  return isUsers ? { valid: true, session, record } : FAULTS.revoked;
}
