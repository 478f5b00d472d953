/*
 * Tokens revoked before they expire. Each is a document, written before the revocation is answered; all of them are
 * in memory, since every request checks them. Tokens invalidated by a change of their user need no entry: their `gen`
 * no longer matches the user's.
 *
 * When may a revocation be removed? If only the wall clock decided, one hour of wrong time could remove a revocation
 * whose token becomes valid again once the time is corrected. So the token's remaining life is measured on the
 * monotonic clock, from the revocation or its load, plus one day in case the wall clock is wrong at that moment. A
 * load drops only tokens that expired longer ago than a token can live; otherwise frequent restarts would accumulate
 * entries. Keeping each entry `maxTTL` longer was refused: every refreshed token leaves an entry, and 30 days of them
 * would take gigabytes on a busy server.
 *
 * An account whose tokens live for 30 days could leave millions: with `MAX_OF_USER` of them, all its tokens end together
 * (`SessionService`), and their revocations go, but the newest.
 */
import {
  andThen,
  CLOCK,
  HOOKS,
  LOGGER,
  NODE_LINK,
  RECORD_PLACE,
  RecordStore,
  type Clock,
  type Hooks,
  type Logger,
  type MaybePromise,
  type NodeLink,
  type RecordKind,
  type RecordPlace,
  type Session,
} from '@millrace/kernel';
import { EVERY_DOCUMENT, parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { parseTimeSpan } from './parseTimeSpan.js';

const SWEEP_EVERY_MS = 600_000;
const GRACE_MS = 86_400_000;
const REMOVE_BATCH = 1_000;
/** More than the 60 a minute of tokens that live for an hour, each kept a day longer. */
const MAX_OF_USER = 100_000;
/** Those of a quarter of an hour. */
const NEWEST_OF_USER = 1_000;
/** Of revocations that earlier versions have stored. */
const NO_USER = '';

type Revocation = Pick<Session, 'tokenId' | 'userId' | 'expiresAtMs'>;

const KIND: RecordKind<Revocation> = {
  collection: 'revocations',
  mapping: parseMapping({ dynamic: false, properties: { expiresAtMs: { type: 'long' } } }),
  parse: ({ id, source }) => ({
    tokenId: id,
    userId: typeof source['userId'] === 'string' ? source['userId'] : NO_USER,
    expiresAtMs: Number(source['expiresAtMs']),
  }),
  toSource: ({ userId, expiresAtMs }) => ({ userId, expiresAtMs }),
};

/** The revoked tokens. */
@scoped(Scope.ContainerScoped)
export class Revocations {
  private readonly records: RecordStore<Revocation>;
  /** Time on the monotonic clock until which each entry is kept, by the user and the token's `jti`. */
  private readonly kept = new Map<string, Map<string, number>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @inject(RECORD_PLACE) place: RecordPlace,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
    @inject(HOOKS) hooks: Hooks,
  ) {
    this.records = new RecordStore(place, KIND);
    hooks.add('auth.tokensRevoked', 'security', ({ userId, exceptTokenId }) => this.endUser(userId, exceptTokenId));
  }

  async start(): Promise<void> {
    await this.records.ensure();
    await this.reload();
    this.timer = setInterval(() => {
      this.sweep().catch((error: unknown) => {
        this.log.warn({ err: error }, 'ended revocations could not be removed');
      });
    }, SWEEP_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
  }

  /** From memory while the node is up to date: see `NodeLink.isCurrent`. */
  has({ tokenId, userId }: Session): MaybePromise<boolean> {
    const isKept = this.kept.get(userId)?.has(tokenId) === true || this.kept.get(NO_USER)?.has(tokenId) === true;
    if (isKept || this.link.isCurrent()) return isKept;
    return andThen(this.records.find(tokenId), (found) => found !== null);
  }

  /**
   * Revokes a token permanently.
   * @returns false if it was already revoked in the meantime
   */
  async add({ tokenId, userId, expiresAtMs }: Session): Promise<boolean> {
    const revocation = { tokenId, userId, expiresAtMs };
    try {
      return (await this.records.tryPut(tokenId, revocation, 'absent')) !== null;
    } finally {
      // Even if the write failed: the bearer asked for the revocation.
      this.remember(revocation);
    }
  }

  /** Records a revocation made here or on another node. @param revocation `expiresAtMs` in UTC milliseconds */
  remember({ tokenId, userId, expiresAtMs }: Revocation): void {
    const lifeLeftMs = Math.max(0, expiresAtMs - this.clock.nowMs());
    const ofUser = this.kept.get(userId) ?? new Map<string, number>();
    ofUser.set(tokenId, this.clock.monotonicMs() + lifeLeftMs + GRACE_MS);
    this.kept.set(userId, ofUser);
  }

  /** Whether a user has so many that all of the user's tokens have to end. */
  isFullOf(userId: string): boolean {
    return (this.kept.get(userId)?.size ?? 0) >= MAX_OF_USER;
  }

  /**
   * Forgets the revocations of a user whose tokens have all ended by a new `gen`, but the newest: this may run after a
   * token of the new `gen` was revoked.
   * @param exceptTokenId the token that goes on, unless it is revoked itself
   * @returns the forgotten tokens, which the store still has
   */
  forgetUser(userId: string, exceptTokenId: string | null): readonly string[] {
    const ids = [...(this.kept.get(userId)?.keys() ?? [])];
    const ended = ids.slice(0, Math.max(0, ids.length - NEWEST_OF_USER)).filter((id) => id !== exceptTokenId);
    for (const id of ended) this.forget(userId, id);
    return ended;
  }

  /** Loads the stored revocations, and removes those that no valid token needs. */
  async reload(): Promise<void> {
    const oldestMs = this.clock.nowMs() - (parseTimeSpan(this.config.jwt.maxTTL) ?? 0) * 1_000 - GRACE_MS;
    const ended: string[] = [];
    for await (const revocation of this.records.scan(EVERY_DOCUMENT)) {
      if (revocation.expiresAtMs < oldestMs) ended.push(revocation.tokenId);
      else if (this.kept.get(revocation.userId)?.has(revocation.tokenId) !== true) this.remember(revocation);
    }
    await this.remove(ended);
  }

  /** Removes revocations of tokens that expired at least a day ago. */
  async sweep(): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    const ended: string[] = [];
    for (const [userId, ofUser] of this.kept) {
      for (const [tokenId, untilMs] of ofUser) {
        if (untilMs > nowMs) continue;
        ended.push(tokenId);
        this.forget(userId, tokenId);
      }
    }
    await this.remove(ended);
  }

  private endUser(userId: string, exceptTokenId: string | null): void {
    this.remove(this.forgetUser(userId, exceptTokenId)).catch((error: unknown) => {
      // They end with their tokens.
      this.log.warn({ err: error }, 'revocations of ended tokens could not be removed');
    });
  }

  private forget(userId: string, tokenId: string): void {
    const ofUser = this.kept.get(userId);
    ofUser?.delete(tokenId);
    if (ofUser?.size === 0) this.kept.delete(userId);
  }

  private async remove(tokenIds: readonly string[]): Promise<void> {
    for (let at = 0; at < tokenIds.length; at += REMOVE_BATCH) {
      const batch = tokenIds.slice(at, at + REMOVE_BATCH);
      await this.records.write(batch.map((id) => this.records.deleteOperation(id)));
    }
  }
}
