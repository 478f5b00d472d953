/*
 * Tokens revoked before their end. Each is a document, written before the revocation is answered and kept until the
 * token would have ended; all of them are in memory, since every request asks. Tokens that die by a change of their user
 * need no entry: their `gen` is no longer the user's.
 */
import { CLOCK, documentErrors, INTERNAL_INDEX, isThenable, LOGGER, NODE_LINK, STORAGE_ENGINE, type Clock, type Logger, type MaybePromise, type NodeLink, type Session, type StorageEngine } from '@millrace/kernel'; // prettier-ignore
import { parseCount, parseMapping } from '@millrace/query';
import { inject, injectable } from 'tsyringe';
import { InternalCollection, isError } from '../store/InternalCollection.js';

const SWEEP_EVERY_MS = 600_000;

const MAPPING = parseMapping({ dynamic: false, properties: { expiresAtMs: { type: 'long' } } });

/** Knows which tokens have been revoked. */
@injectable()
export class Revocations {
  private readonly collection: InternalCollection;
  /** End of each token, UTC milliseconds, by its `jti`. */
  private readonly endsMs = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
    @inject(NODE_LINK) private readonly link: NodeLink,
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
    if (this.endsMs.has(tokenId)) return true;
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
      this.endsMs.set(tokenId, expiresAtMs);
    }
  }

  /** Another node has revoked it. */
  remember(tokenId: string, expiresAtMs: number): void {
    this.endsMs.set(tokenId, expiresAtMs);
  }

  /** Takes in what is stored. */
  async reload(): Promise<void> {
    for await (const ids of this.collection.scan(parseCount({}))) {
      for (const { id, source } of await this.collection.readMany(ids)) {
        this.endsMs.set(id, Number(source['expiresAtMs']));
      }
    }
  }

  /** Removes those whose token has ended by itself. */
  async sweep(): Promise<void> {
    const nowMs = this.clock.nowMs();
    for (const [tokenId, endMs] of this.endsMs) if (endMs <= nowMs) this.endsMs.delete(tokenId);
    const query = parseCount({ query: { range: { expiresAtMs: { lte: nowMs } } } });
    for await (const ids of this.collection.scan(query)) {
      await this.collection.write(ids.map((id) => this.collection.deleteOperation(id)));
    }
  }
}
