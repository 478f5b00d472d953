import {
  CLOCK,
  LOGGER,
  RECORD_PLACE,
  RecordStore,
  type Clock,
  type Logger,
  type RecordKind,
  type RecordPlace,
} from '@millrace/kernel';
import { parseMapping } from '@millrace/query';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { SECURITY_CONFIG, type SecurityConfig } from '../config.js';

const WRITE_EVERY_MS = 60_000;

interface ApiKeyUse {
  readonly keyId: string;
  /** UTC milliseconds. */
  readonly usedAtMs: number;
}

const KIND: RecordKind<ApiKeyUse> = {
  collection: 'api-key-uses',
  mapping: parseMapping({ dynamic: false, properties: {} }),
  parse: ({ id, source }) => ({ keyId: id, usedAtMs: Number(source['usedAtMs']) }),
  toSource: ({ usedAtMs }) => ({ usedAtMs }),
};

/**
 * When each API key was last used, written at most once a minute. Stored apart from the keys: the use of a key is no
 * change of it, and must not bring back a key that is deleted at the same time.
 */
@scoped(Scope.ContainerScoped)
export class ApiKeyUses {
  private readonly records: RecordStore<ApiKeyUse>;
  /** When this node last wrote or read the use of a key, on the wall clock. */
  private readonly notedAtMs = new Map<string, number>();
  private readonly writes = new Set<Promise<void>>();

  constructor(
    @inject(RECORD_PLACE) place: RecordPlace,
    @inject(CLOCK) private readonly clock: Clock,
    @inject(LOGGER) private readonly log: Logger,
    @inject(SECURITY_CONFIG) private readonly config: SecurityConfig,
  ) {
    this.records = new RecordStore(place, KIND);
  }

  ensure(): Promise<void> {
    return this.records.ensure();
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
    const uses = await this.records.readMany(keyIds);
    return new Map(uses.map(({ keyId, usedAtMs }) => [keyId, usedAtMs]));
  }

  async delete(keyId: string): Promise<void> {
    this.notedAtMs.delete(keyId);
    await this.records.delete(keyId);
  }

  private async write(keyId: string, nowMs: number): Promise<void> {
    // Another node may have written it.
    const writtenAtMs = (await this.read([keyId])).get(keyId);
    if (writtenAtMs !== undefined && Math.abs(nowMs - writtenAtMs) < WRITE_EVERY_MS) return;
    await this.records.put(keyId, { keyId, usedAtMs: nowMs }, 'any');
  }
}
