import {
  CLOCK,
  INTERNAL_INDEX,
  LOGGER,
  STORAGE_ENGINE,
  type Clock,
  type Logger,
  type StorageEngine,
} from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';
import { InternalCollection } from '../store/InternalCollection.js';

const WRITE_EVERY_MS = 60_000;

/**
 * When each API key was last used, written at most once a minute. Stored apart from the keys: the use of a key is no
 * change of it, and must not bring back a key that is deleted at the same time.
 */
@scoped(Scope.ContainerScoped)
export class ApiKeyUses {
  private readonly collection: InternalCollection;
  /** When this node last wrote or read the use of a key, on the wall clock. */
  private readonly notedAtMs = new Map<string, number>();
  private readonly writes = new Set<Promise<void>>();

  constructor(
    @inject(STORAGE_ENGINE) engine: StorageEngine,
    @inject(INTERNAL_INDEX) index: string,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {
    const mapping = parseMapping({ dynamic: false, properties: {} });
    this.collection = new InternalCollection(engine, index, 'api-key-uses', mapping);
  }

  ensure(): Promise<void> {
    return this.collection.ensure();
  }

  /** Waits for the writes that run. */
  async stop(): Promise<void> {
    await Promise.all(this.writes);
  }

  /** Call when a key was used. Never throws; the time is written later. */
  note(keyId: string): void {
    const nowMs = this.clock.nowMs();
    const notedAtMs = this.notedAtMs.get(keyId);
    if (notedAtMs !== undefined && Math.abs(nowMs - notedAtMs) < WRITE_EVERY_MS) return;
    if (this.notedAtMs.size >= this.config.cache.maxApiKeys) this.notedAtMs.clear();
    this.notedAtMs.set(keyId, nowMs);
    const write = this.write(keyId, nowMs).catch((error: unknown) => {
      this.log.debug({ err: error, keyId }, 'the last use of an API key could not be written');
    });
    this.writes.add(write);
    void write.finally(() => this.writes.delete(write));
  }

  /** UTC milliseconds, by key; keys that were never used are absent. */
  async read(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const documents = await this.collection.readMany(keyIds);
    return new Map(documents.map(({ id, source }) => [id, Number(source['usedAtMs'])]));
  }

  async delete(keyId: string): Promise<void> {
    this.notedAtMs.delete(keyId);
    await this.collection.delete(keyId);
  }

  private async write(keyId: string, nowMs: number): Promise<void> {
    // Another node may have written it.
    const writtenAtMs = (await this.read([keyId])).get(keyId);
    if (writtenAtMs !== undefined && Math.abs(nowMs - writtenAtMs) < WRITE_EVERY_MS) return;
    await this.collection.put(keyId, { usedAtMs: nowMs }, 'any');
  }
}
