/*
 * Making and judging tokens. Problem: verifying a signature costs 35 µs, and every request brings a token. Idea: texts
 * that were verified are kept with their claims; only what may change is asked again at each use: the time, the
 * revocations, and the user's `gen`. Both are in memory, so a known token is judged without a promise.
 *
 * The algorithm and the key come from this server alone: nothing of a token's header is used (`kid`, `jku`, `jwk`,
 * `x5u`), and every `crit` is refused.
 */
import {
  apiErrors,
  CLOCK,
  isThenable,
  showValue,
  type Clock,
  type MaybePromise,
  type Session,
} from '@millrace/kernel';
import { compactVerify, SignJWT } from 'jose';
import { inject, injectable } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { IdGenerator } from '../IdGenerator.js';
import type { UserRecord } from '../users/UserRecord.js';
import { UserStore } from '../users/UserStore.js';
import { decodeToken } from './decodeToken.js';
import { parseTimeSpan } from './parseTimeSpan.js';
import { Revocations } from './Revocations.js';
import { SigningKey } from './SigningKey.js';

/** Why a token isn't valid, judged in this order (decisions.md section 7). */
export type TokenFault = 'malformed' | 'invalid signature' | 'expired' | 'revoked';

/** What became of a token. */
export type TokenState =
  | { readonly valid: true; readonly session: Session; readonly record: UserRecord }
  | { readonly valid: false; readonly fault: TokenFault };

/** A new token. */
export interface IssuedToken {
  readonly jwt: string;
  readonly session: Session;
}

interface VerifiedToken {
  readonly session: Session;
  readonly gen: string;
}

const FAULTS: Readonly<Record<TokenFault, TokenState>> = {
  malformed: { valid: false, fault: 'malformed' },
  'invalid signature': { valid: false, fault: 'invalid signature' },
  expired: { valid: false, fault: 'expired' },
  revoked: { valid: false, fault: 'revoked' },
};

/** Makes and judges tokens. One per server. */
@injectable()
export class Tokens {
  private readonly verified = new Map<string, VerifiedToken>();
  /** Of the sessions handed out: the claim isn't part of the contract. */
  private readonly gens = new WeakMap<Session, string>();

  constructor(
    @inject(SigningKey) private readonly key: SigningKey,
    @inject(UserStore) private readonly users: UserStore,
    @inject(Revocations) private readonly revocations: Revocations,
    @inject(IdGenerator) private readonly ids: IdGenerator,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {}

  /** The life of a token in seconds. @param given absent: the default @throws api.invalid_argument (400) */
  lifeSeconds(given: unknown): number {
    const { expiresIn, maxTTL } = this.config.jwt;
    const maxSeconds = parseTimeSpan(maxTTL) ?? 0;
    if (given === undefined) return Math.min(parseTimeSpan(expiresIn) ?? 0, maxSeconds);
    const seconds = parseTimeSpan(given);
    if (seconds !== undefined && seconds <= maxSeconds) return seconds;
    const expected = `a number of seconds or a time span such as "2 days", above zero and at most ${maxSeconds} seconds`;
    throw apiErrors.invalid_argument({ name: 'expiresIn', value: showValue(given), expected });
  }

  async issue({ id: userId, gen }: UserRecord, lifeSeconds: number): Promise<IssuedToken> {
    const { algorithm, signWith } = this.key.loaded;
    const tokenId = this.ids.next();
    const issuedAt = Math.round(this.clock.nowMs() / 1_000);
    const expiresAt = issuedAt + lifeSeconds;
    const jwt = await new SignJWT({ gen })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setSubject(userId)
      .setJti(tokenId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(signWith);
    const session = { tokenId, userId, expiresAtMs: expiresAt * 1_000 };
    this.keep(jwt, { session, gen });
    return { jwt, session };
  }

  /** A value for a token seen before whose user is in memory. Never fails for a text. */
  check(token: string): MaybePromise<TokenState> {
    const known = this.verified.get(token);
    return known === undefined ? this.verify(token) : this.judge(known);
  }

  /** The user behind a session that `check` or `issue` gave; null once it has ended. */
  ownerOf(session: Session): MaybePromise<UserRecord | null> {
    const gen = this.gens.get(session);
    if (gen === undefined) return null;
    const state = this.judge({ session, gen });
    return isThenable(state) ? state.then(recordOf) : recordOf(state);
  }

  /** The claim of a session handed out, for another node. */
  genOf(session: Session): string | undefined {
    return this.gens.get(session);
  }

  /** Takes over a session that another node has made. */
  adopt(session: Session, gen: string): void {
    this.gens.set(session, gen);
  }

  private async verify(token: string): Promise<TokenState> {
    const claims = decodeToken(token);
    if (claims === null) return FAULTS.malformed;
    const { algorithm, verifyWith } = this.key.loaded;
    try {
      const { protectedHeader } = await compactVerify(token, verifyWith, {
        algorithms: [algorithm],
      });
      // jose refuses every `crit` but b64, which makes another text of the payload than the one read here.
      if (protectedHeader.crit !== undefined) return FAULTS['invalid signature'];
    } catch {
      return FAULTS['invalid signature'];
    }
    const { sub, jti, exp, gen } = claims;
    const isWhole = typeof sub === 'string' && typeof jti === 'string' && typeof gen === 'string';
    if (!isWhole || typeof exp !== 'number') return FAULTS.malformed;
    const verified = { session: { tokenId: jti, userId: sub, expiresAtMs: exp * 1_000 }, gen };
    this.keep(token, verified);
    return this.judge(verified);
  }

  private judge(verified: VerifiedToken): MaybePromise<TokenState> {
    const { session } = verified;
    if (session.expiresAtMs <= this.clock.nowMs()) return FAULTS.expired;
    const isRevoked = this.revocations.has(session.tokenId);
    if (isThenable(isRevoked)) {
      return isRevoked.then((is) => (is ? FAULTS.revoked : this.judgeUser(verified)));
    }
    return isRevoked ? FAULTS.revoked : this.judgeUser(verified);
  }

  private judgeUser(verified: VerifiedToken): MaybePromise<TokenState> {
    const { session } = verified;
    const found = this.users.find(session.userId);
    if (!isThenable(found)) return stateOf(verified, found);
    return found.then((record) => stateOf(verified, record));
  }

  private keep(token: string, verified: VerifiedToken): void {
    this.gens.set(verified.session, verified.gen);
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

/** A token lives as long as its user has its `gen`, or keeps it beside a newer one. */
function stateOf({ session, gen }: VerifiedToken, record: UserRecord | null): TokenState {
  const isUsers = record !== null && (record.gen === gen || record.keptTokenId === session.tokenId);
  return isUsers ? { valid: true, session, record } : FAULTS.revoked;
}
