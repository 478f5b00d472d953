/*
 * Tokens revoked before they expire. Each is a document, written before the revocation is answered; all of them are in
 * memory, since every request asks. Tokens that die by a change of their user need no entry: their `gen` is no longer the
 * user's.
 *
 * When may a revocation be forgotten? By the wall clock, a clock that is wrong for an hour would forget it while the token
 * comes back to life with the right time. So the life that the token still had is counted on the monotonic clock, from
 * the revocation or its load, and a day is added, since the wall clock may be wrong at that moment. Only what expired
 * longer ago than a token can live is dropped at a load: else frequent restarts would keep everything. Keeping each
 * `maxTTL` longer was refused: every refreshed token leaves an entry, 30 days of them were gigabytes on a busy server.
 */
import { CLOCK, documentErrors, INTERNAL_INDEX, isThenable, LOGGER, NODE_LINK, STORAGE_ENGINE, type Clock, type Logger, type MaybePromise, type NodeLink, type Session, type StorageEngine } from '@millrace/kernel'; // prettier-ignore
import { parseCount, parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { InternalCollection, isError } from '../store/InternalCollection.js';
import { parseTimeSpan } from './parseTimeSpan.js';

const SWEEP_EVERY_MS = 600_000;
const GRACE_MS = 86_400_000;
const REMOVE_BATCH = 1_000;

const MAPPING = parseMapping({ dynamic: false, properties: { expiresAtMs: { type: 'long' } } });

/** Knows which tokens have been revoked. */
@scoped(Scope.ContainerScoped)
export class Revocations {
  private readonly collection: InternalCollection;
  /** Until when each is kept, on the monotonic clock, by the token's `jti`. */
  private readonly keptUntilMs = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
    @inject(NODE_LINK) private readonly link: NodeLink,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {
    this.collection = new InternalCollection(engine, index, 'revocations', MAPPING);
  }

  async start(): Promise<void> {
    await this.collection.ensure();
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

  /** From memory, as long as that can be trusted: see `NodeLink.isCurrent`. */
  has(tokenId: string): MaybePromise<boolean> {
    if (this.keptUntilMs.has(tokenId)) return true;
    if (this.link.isCurrent()) return false;
    const read = this.collection.read(tokenId);
    return isThenable(read) ? read.then((found) => found !== null) : read !== null;
  }

  /**
   * Revokes a token for good.
   * @returns false where somebody else has revoked it meanwhile
   */
  async add({ tokenId, expiresAtMs }: Session): Promise<boolean> {
    try {
      await this.collection.put(tokenId, { expiresAtMs }, 'absent');
      return true;
    } catch (error) {
      if (!isError(error, documentErrors.already_exists)) throw error;
      return false;
    } finally {
      // Even where the write failed: the bearer wanted it dead.
      this.remember(tokenId, expiresAtMs);
    }
  }

  /** It has been revoked, here or on another node. @param expiresAtMs end of the token, UTC milliseconds */
  remember(tokenId: string, expiresAtMs: number): void {
    const lifeLeftMs = Math.max(0, expiresAtMs - this.clock.nowMs());
    this.keptUntilMs.set(tokenId, this.clock.monotonicMs() + lifeLeftMs + GRACE_MS);
  }

  /** Takes in what is stored, and removes what no token can need any more. */
  async reload(): Promise<void> {
    const oldestMs =
      this.clock.nowMs() - (parseTimeSpan(this.config.jwt.maxTTL) ?? 0) * 1_000 - GRACE_MS;
    for await (const ids of this.collection.scan(parseCount({}))) {
      const ended: string[] = [];
      for (const { id, source } of await this.collection.readMany(ids)) {
        const expiresAtMs = Number(source['expiresAtMs']);
        if (expiresAtMs < oldestMs) ended.push(id);
        else if (!this.keptUntilMs.has(id)) this.remember(id, expiresAtMs);
      }
      await this.remove(ended);
    }
  }

  /** Removes those whose token expired at least a day ago. */
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
      await this.collection.write(batch.map((id) => this.collection.deleteOperation(id)));
    }
  }
}
