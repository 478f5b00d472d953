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
 */
import {
  andThen,
  CLOCK,
  LOGGER,
  NODE_LINK,
  RECORD_PLACE,
  RecordStore,
  type Clock,
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

type Revocation = Pick<Session, 'tokenId' | 'expiresAtMs'>;

const KIND: RecordKind<Revocation> = {
  collection: 'revocations',
  mapping: parseMapping({ dynamic: false, properties: { expiresAtMs: { type: 'long' } } }),
  parse: ({ id, source }) => ({ tokenId: id, expiresAtMs: Number(source['expiresAtMs']) }),
  toSource: ({ expiresAtMs }) => ({ expiresAtMs }),
};

/** The revoked tokens. */
@scoped(Scope.ContainerScoped)
export class Revocations {
  private readonly records: RecordStore<Revocation>;
  /** Time on the monotonic clock until which each entry is kept, by the token's `jti`. */
  private readonly keptUntilMs = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @inject(RECORD_PLACE) place: RecordPlace,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {
    this.records = new RecordStore(place, KIND);
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
  has(tokenId: string): MaybePromise<boolean> {
    if (this.keptUntilMs.has(tokenId)) return true;
    if (this.link.isCurrent()) return false;
    return andThen(this.records.find(tokenId), (found) => found !== null);
  }

  /**
   * Revokes a token permanently.
   * @returns false if it was already revoked in the meantime
   */
  async add({ tokenId, expiresAtMs }: Session): Promise<boolean> {
    try {
      return (await this.records.tryPut(tokenId, { tokenId, expiresAtMs }, 'absent')) !== null;
    } finally {
      // Even if the write failed: the bearer asked for the revocation.
      this.remember(tokenId, expiresAtMs);
    }
  }

  /** Records a revocation made here or on another node. @param expiresAtMs expiry of the token, UTC milliseconds */
  remember(tokenId: string, expiresAtMs: number): void {
    const lifeLeftMs = Math.max(0, expiresAtMs - this.clock.nowMs());
    this.keptUntilMs.set(tokenId, this.clock.monotonicMs() + lifeLeftMs + GRACE_MS);
  }

  /** Loads the stored revocations, and removes those that no valid token needs. */
  async reload(): Promise<void> {
    const oldestMs = this.clock.nowMs() - (parseTimeSpan(this.config.jwt.maxTTL) ?? 0) * 1_000 - GRACE_MS;
    const ended: string[] = [];
    for await (const { tokenId, expiresAtMs } of this.records.scan(EVERY_DOCUMENT)) {
      if (expiresAtMs < oldestMs) ended.push(tokenId);
      else if (!this.keptUntilMs.has(tokenId)) this.remember(tokenId, expiresAtMs);
    }
    await this.remove(ended);
  }

  /** Removes revocations of tokens that expired at least a day ago. */
  async sweep(): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    const ended: string[] = [];
    for (const [tokenId, keptUntilMs] of this.keptUntilMs) {
      if (keptUntilMs <= nowMs) ended.push(tokenId);
    }
    for (const tokenId of ended) this.keptUntilMs.delete(tokenId);
    await this.remove(ended);
  }

  private async remove(tokenIds: readonly string[]): Promise<void> {
    for (let at = 0; at < tokenIds.length; at += REMOVE_BATCH) {
      const batch = tokenIds.slice(at, at + REMOVE_BATCH);
      await this.records.write(batch.map((id) => this.records.deleteOperation(id)));
    }
  }
}
