import {
  idempotencyErrors,
  RecordStore,
  type AnswerStore,
  type Clock,
  type EarlierRequest,
  type JsonObject,
  type KeyedRequest,
  type Lifecycle,
  type Logger,
  type NodeLink,
  type RecordKind,
  type RecordPlace,
  type StoredDocument,
} from '@millrace/kernel';
import { parseCount, parseMapping, parseSearch } from '@millrace/query';
import { AnswerShares } from './AnswerShares.js';

/** How long an answer is kept. */
const LIFE_MS = 86_400_000;
const SWEEP_EVERY_MS = 600_000;
/** What an entry takes besides its answer. */
const ENTRY_BYTES = 512;
/** Users counted at the start; further ones begin with nothing. */
const MAX_COUNTED_USERS = 10_000;

/**
 * Keeps answers in a collection of the internal index: durable as documents are, and shared by the nodes of a cluster.
 * A running request is stored in a cluster only; without one, its claim exists in the memory of the pipeline.
 */
export class StoredAnswers implements AnswerStore, Lifecycle {
  private readonly records: RecordStore<StoredDocument, JsonObject>;
  private readonly shares: AnswerShares;
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    place: RecordPlace,
    private readonly nodes: NodeLink,
    private readonly clock: Clock,
    private readonly log: Logger,
    /** Maximum of bytes that this node keeps. */
    maxBytes: number,
  ) {
    this.records = new RecordStore(place, KIND);
    this.shares = new AnswerShares(clock, maxBytes, LIFE_MS);
  }

  async start(): Promise<void> {
    await this.countStored();
    this.timer = setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  async claim(request: KeyedRequest): Promise<EarlierRequest | null> {
    const { nodes } = this;
    const stored = await this.records.find(request.id);
    if (stored !== null && this.isLive(stored)) return toEarlier(stored);
    if (!this.shares.take(request.holder, ENTRY_BYTES)) {
      throw idempotencyErrors.too_many_keys({}, { retryAfterSeconds: 600 });
    }
    if (!nodes.isClustered) return null;
    const claim = { ...this.entryOf(request, 0), node: nodes.nodeId };
    let isOurs = false;
    try {
      isOurs = (await this.records.tryPut(request.id, claim, stored?.version ?? 'absent', false)) !== null;
    } finally {
      if (!isOurs) this.shares.add(request.holder, -ENTRY_BYTES);
    }
    if (isOurs) return null;
    // Another node was faster.
    const winner = await this.records.find(request.id);
    if (winner === null) throw idempotencyErrors.in_progress({}, { retryAfterSeconds: 1 });
    return toEarlier(winner);
  }

  async keep(request: KeyedRequest, answer: string | null): Promise<void> {
    const bytes = answer === null ? 0 : Buffer.byteLength(answer);
    const fits = bytes === 0 || this.shares.take(request.holder, bytes);
    const entry = { ...this.entryOf(request, bytes), answer: fits ? answer : null };
    await this.records.put(request.id, entry, 'any', false);
  }

  async release({ id, holder }: KeyedRequest): Promise<void> {
    this.shares.add(holder, -ENTRY_BYTES);
    if (this.nodes.isClustered) await this.records.delete(id, 'present', false);
  }

  private entryOf({ fingerprint, user }: KeyedRequest, bytes: number): JsonObject {
    const expiresAt = this.clock.nowMs() + LIFE_MS;
    return { user, expiresAt, bytes: bytes + ENTRY_BYTES, fingerprint };
  }

  /** False for an expired entry, and for the claim of a node that is gone. */
  private isLive({ source: { expiresAt, node } }: StoredDocument): boolean {
    const { clock, nodes } = this;
    if (Number(expiresAt) <= clock.nowMs()) return false;
    return typeof node !== 'string' || nodes.others().includes(node);
  }

  /** Counts the answers kept before a restart against the shares of their users. */
  private async countStored(): Promise<void> {
    const { aggregations } = await this.records.search(BYTES_BY_USER);
    // None: nothing is stored.
    if (aggregations === undefined) return;
    const { buckets } = aggregations.users as unknown as BytesByUser;
    for (const { key, bytes } of buckets) this.shares.add(key, bytes.value);
  }

  private sweep(): void {
    this.sweeping = this.sweeping
      .then(() => this.removeExpired())
      .catch((error: unknown) => {
        this.log.warn({ err: error }, 'expired answers could not be removed; tried again');
      });
  }

  private async removeExpired(): Promise<void> {
    const nowMs = this.clock.nowMs();
    await this.records.sweep(parseCount({ query: { range: { expiresAt: { lte: nowMs } } } }));
  }
}

interface BytesByUser {
  readonly buckets: readonly {
    readonly key: string;
    readonly bytes: { readonly value: number };
  }[];
}

const KIND: RecordKind<StoredDocument, JsonObject> = {
  collection: 'answers',
  mapping: parseMapping({
    dynamic: false,
    properties: { user: { type: 'keyword' }, expiresAt: { type: 'long' }, bytes: { type: 'long' } },
  }),
  parse: (document) => document,
  toSource: (entry) => entry,
};

const BYTES_BY_USER = parseSearch({
  size: 0,
  aggs: {
    users: {
      terms: { field: 'user', size: MAX_COUNTED_USERS },
      aggs: { bytes: { sum: { field: 'bytes' } } },
    },
  },
});

/** The entry was written by this class, so its shape is known. */
function toEarlier({ source: { fingerprint, node, answer = null } }: StoredDocument) {
  return {
    fingerprint: fingerprint as string,
    isRunning: typeof node === 'string',
    answer: answer as string | null,
  };
}
