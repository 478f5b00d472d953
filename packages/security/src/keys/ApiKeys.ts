/*
 * Verifies API keys. A key in memory is verified by one hash, without a promise. Everything else takes one read of the
 * store, whether the id is unknown or the secret wrong, and is refused after the same time, so the time doesn't reveal
 * which ids exist; and these reads are what an address may cause only as often as failed logins.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  andThen,
  CLOCK,
  HOOKS,
  isThenable,
  LOGGER,
  NODE_LINK,
  securityErrors,
  type Clock,
  type Hooks,
  type Lifecycle,
  type Logger,
  type MaybePromise,
  type NodeLink,
  type Session,
  type User,
} from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { LoginLimits } from '../limits/LoginLimits.js';
import type { UserRecord } from '../users/UserRecord.js';
import { UserStore } from '../users/UserStore.js';
import type { TokenFault } from '../tokens/Tokens.js';
import { hashOfSecret, isSameHash, type LoadedApiKey } from './ApiKeyRecord.js';
import { ApiKeyStore } from './ApiKeyStore.js';
import { ApiKeyUses } from './ApiKeyUses.js';
import { limitUser } from '../rights/limitUser.js';
import { parseApiKey } from './parseApiKey.js';

/** The result of checking an API key; an unknown or wrong one counts as revoked. */
export type ApiKeyState =
  | {
      readonly valid: true;
      readonly session: Session;
      readonly user: User;
      readonly key: LoadedApiKey;
    }
  | { readonly valid: false; readonly fault: TokenFault };

const MALFORMED: ApiKeyState = { valid: false, fault: 'malformed' };
const EXPIRED: ApiKeyState = { valid: false, fault: 'expired' };
const REVOKED: ApiKeyState = { valid: false, fault: 'revoked' };
/** Compared with where there is no key. */
const NO_HASH = hashOfSecret('');
const MAX_TIMER_MS = 2 ** 31 - 1;
/** What reading a key takes more than not finding one disappears in it. */
const REFUSAL_MS = 20;
// Node's timers may fire a little early.
const TIMER_SLACK_MS = 1;

/** Verifies API keys. One per server. */
@scoped(Scope.ContainerScoped)
export class ApiKeys implements Lifecycle {
  /** The user of requests with a key that has policies, and the owner it was made from. */
  private readonly limited = new WeakMap<LoadedApiKey, { owner: UserRecord; user: User }>();
  /** Ends of replaced secrets that subscriptions rest on, by `Session.tokenId`. */
  private readonly ends = new Map<string, NodeJS.Timeout>();

  constructor(
    @inject(ApiKeyStore) private readonly store: ApiKeyStore,
    @inject(ApiKeyUses) private readonly uses: ApiKeyUses,
    @inject(UserStore) private readonly users: UserStore,
    @inject(LoginLimits) private readonly limits: LoginLimits,
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(HOOKS) private readonly hooks: Hooks,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
  ) {}

  async start(): Promise<void> {
    await Promise.all([this.store.ensure(), this.uses.ensure()]);
  }

  stop(): Promise<void> {
    for (const timer of this.ends.values()) clearTimeout(timer);
    this.ends.clear();
    return this.uses.stop();
  }

  /** As `check`, for a request: the use of the key is noted. @throws security.api_key_wrong_address (403) */
  use(token: string, remoteAddress: string): MaybePromise<ApiKeyState> {
    return andThen(this.check(token, remoteAddress), (state) => {
      if (!state.valid) return state;
      const { id, ranges } = state.key;
      if (ranges?.has(remoteAddress) === false) throw securityErrors.api_key_wrong_address({});
      this.uses.note(id);
      return state;
    });
  }

  /**
   * Returns a value if the key and its owner are in memory.
   * @param remoteAddress of the client, by which failures count
   * @throws auth.too_many_attempts (429)
   */
  check(token: string, remoteAddress: string): MaybePromise<ApiKeyState> {
    const parts = parseApiKey(token);
    if (parts === null) return MALFORMED;
    const hash = hashOfSecret(parts.secret);
    const key = this.store.known(parts.id);
    if (key !== undefined) {
      const session = this.sessionFor(key, hash);
      if (session !== null) return this.decide(key, session);
    }
    return this.checkStored(parts.id, hash, remoteAddress);
  }

  /** The user of a session of `check`; null once it has ended. */
  userOf({ apiKeyId = '', tokenId }: Session): MaybePromise<User | null> {
    const key = this.store.find(apiKeyId);
    return isThenable(key) ? key.then((found) => this.userBy(found, tokenId)) : this.userBy(key, tokenId);
  }

  private async checkStored(id: string, hash: string, address: string): Promise<ApiKeyState> {
    const attempt = await this.limits.beginLogin(address, null);
    const refusalTime = delay(REFUSAL_MS);
    try {
      const key = await this.store.reload(id);
      const session = this.sessionFor(key, hash);
      if (key !== null && session !== null) return await this.decide(key, session);
      attempt.failed();
      // The next attempt may reach another node.
      await this.link.settled();
      await refusalTime;
      return REVOKED;
    } finally {
      attempt.ended();
    }
  }

  private userBy(key: LoadedApiKey | null, tokenId: string): MaybePromise<User | null> {
    if (key === null) return null;
    if (tokenId === key.session.tokenId) return toUser(this.decide(key, key.session));
    const { replacedSession: replaced } = key;
    if (replaced === null || tokenId !== replaced.tokenId) return null;
    if (replaced.expiresAtMs <= this.clock.nowMs()) return null;
    this.watchEnd(key, replaced);
    return toUser(this.decide(key, replaced));
  }

  private sessionFor(key: LoadedApiKey | null, hash: string): Session | null {
    const isCurrent = isSameHash(key?.hash ?? NO_HASH, hash);
    if (key === null) return null;
    if (isCurrent) return key.session;
    const { replaced, replacedSession } = key;
    if (replaced === null || !isSameHash(replaced.hash, hash)) return null;
    return replaced.endsAtMs > this.clock.nowMs() ? replacedSession : null;
  }

  private decide(key: LoadedApiKey, session: Session): MaybePromise<ApiKeyState> {
    if (session.expiresAtMs <= this.clock.nowMs()) return EXPIRED;
    const owner = this.users.find(key.userId);
    return isThenable(owner)
      ? owner.then((found) => this.decideOwner(key, session, found))
      : this.decideOwner(key, session, owner);
  }

  private decideOwner(key: LoadedApiKey, session: Session, owner: UserRecord | null): ApiKeyState {
    // A later user of the same `_id` is another one.
    if (owner?.suid !== key.suid) return REVOKED;
    return { valid: true, session, user: this.userWith(key, owner), key };
  }

  private userWith(key: LoadedApiKey, owner: UserRecord): User {
    const { policies } = key;
    if (policies === null) return owner.user;
    const known = this.limited.get(key);
    if (known?.owner === owner) return known.user;
    const user = limitUser(owner.user, policies);
    this.limited.set(key, { owner, user });
    return user;
  }

  /** Subscriptions made with a replaced secret end with it: nothing else happens at that moment. */
  private watchEnd(key: LoadedApiKey, { tokenId, expiresAtMs }: Session): void {
    if (this.ends.has(tokenId)) return;
    const delayMs = Math.min(expiresAtMs - this.clock.nowMs() + TIMER_SLACK_MS, MAX_TIMER_MS);
    const timer = setTimeout(() => {
      this.ends.delete(tokenId);
      const { id: keyId, userId } = key;
      this.log.debug({ keyId }, 'the replaced secret of an API key has ended');
      this.hooks.emit('security.apiKeyChanged', {
        keyId,
        userId,
        change: 'secretEnded',
        by: userId,
      });
    }, delayMs).unref();
    this.ends.set(tokenId, timer);
  }
}

function toUser(state: MaybePromise<ApiKeyState>): MaybePromise<User | null> {
  if (isThenable(state)) return state.then(toUserNow);
  return toUserNow(state);
}

function toUserNow(state: ApiKeyState): User | null {
  return state.valid ? state.user : null;
}
