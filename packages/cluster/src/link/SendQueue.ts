/*
 * Queue of messages for Redis. One entry is in flight at a time, and messages that arrive meanwhile go into the next
 * one: an idle link takes one round trip, a busy one sends few entries, and the order is preserved without further
 * effort. An entry whose reply was lost is sent again unchanged; receivers recognise its numbers.
 *
 * The queue is bounded. Above its limit all queued messages are dropped: the missing numbers then show every receiver
 * that messages were lost, which is all they need in order to recover.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEntry, type NodeMessage } from '../redis/wire.js';

const MAX_ENTRY_MESSAGES = 512;
const MAX_ENTRY_BYTES = 2 ** 20;
const MIN_KEPT_ENTRIES = 100;
const RETRY_MS = 50;
/** Size of a message in addition to its strings. */
const OVERHEAD_BYTES = 64;
/** Weight of the newest entry in the moving average of entry sizes. */
const NEWEST_WEIGHT = 0.1;

/** Sends messages in order, each once. */
export class SendQueue {
  private waiting: NodeMessage[] = [];
  private waitingBytes = 0;
  private sending: readonly NodeMessage[] = [];
  private lastNumber = 0;
  private confirmedNumber = 0;
  private meanEntryBytes = 1_024;
  private isPumping = false;
  private isStopped = false;
  private isAway = false;
  private isSlow = false;
  private confirmations: { readonly number: number; readonly resolve: () => void }[] = [];
  /** Number of messages lost to overflows. */
  droppedCount = 0;

  constructor(
    private readonly nodeId: string,
    /** @param isRetry the reply to a former attempt was lost: the entry may have been appended */
    private readonly append: (fields: readonly string[], keptCount: number, isRetry: boolean) => Promise<void>,
    private readonly limits: {
      readonly maxQueuedBytes: number;
      readonly maxStreamBytes: number;
      readonly maxStreamEntries: number;
      readonly confirmTimeoutMs: number;
    },
    /** Called for each overflow. */
    private readonly onOverflow: (droppedCount: number) => void,
    /** Called when Redis turns out to be away. */
    private readonly onAway?: () => void,
  ) {}

  /** Whether Redis is writable, as far as is known. */
  get isUp(): boolean {
    return !this.isAway;
  }

  get queuedBytes(): number {
    return this.waitingBytes;
  }

  /** The number of the newest message. */
  get newest(): number {
    return this.lastNumber;
  }

  /** Messages up to this number are in Redis or were dropped. */
  get confirmedUpTo(): number {
    const isIdle = this.waiting.length === 0 && this.sending.length === 0;
    return isIdle ? this.lastNumber : this.confirmedNumber;
  }

  /** @returns the number of the message */
  push(topic: string, key: string, body: string): number {
    const number = ++this.lastNumber;
    this.waiting.push({ number, topic, key, body });
    this.waitingBytes += bytesOf(key, body);
    if (this.waitingBytes > this.limits.maxQueuedBytes) this.overflow();
    if (!this.isPumping) {
      this.isPumping = true;
      // Messages of one turn of the event loop are sent together.
      queueMicrotask(() => void this.pump());
    }
    return number;
  }

  /** Resolves when all messages so far are in Redis; undefined if they are, or if waiting would take too long. */
  confirmed(): Promise<void> | undefined {
    const number = this.lastNumber;
    if (this.isAway || this.isSlow || this.confirmedNumber >= number) return undefined;
    return new Promise((resolve) => this.confirmations.push({ number, resolve }));
  }

  /** Sends the queued messages within a time limit, then stops. */
  async stop(withinMs: number): Promise<void> {
    const giveUpAtMs = performance.now() + withinMs;
    while (this.isPumping && !this.isAway && performance.now() < giveUpAtMs) await sleep(5);
    this.isStopped = true;
    this.release(Infinity);
  }

  private async pump(): Promise<void> {
    while (this.waiting.length > 0 && !this.isStopped) {
      this.sending = this.takeBatch();
      await this.deliver(this.sending);
      this.sending = [];
    }
    this.isPumping = false;
  }

  private takeBatch(): readonly NodeMessage[] {
    let bytes = 0;
    let count = 0;
    for (const { key, body } of this.waiting) {
      const own = bytesOf(key, body);
      if (count > 0 && (count >= MAX_ENTRY_MESSAGES || bytes + own > MAX_ENTRY_BYTES)) break;
      bytes += own;
      count++;
    }
    const batch = this.waiting.slice(0, count);
    this.waiting = count === this.waiting.length ? [] : this.waiting.slice(count);
    this.waitingBytes -= bytes;
    this.meanEntryBytes += NEWEST_WEIGHT * (bytes - this.meanEntryBytes);
    return batch;
  }

  private async deliver(batch: readonly NodeMessage[]): Promise<void> {
    const { nodeId, append, limits } = this;
    const fields = encodeEntry(nodeId, batch);
    const fitting = Math.floor(limits.maxStreamBytes / Math.max(1, this.meanEntryBytes));
    const keptCount = Math.max(MIN_KEPT_ENTRIES, Math.min(limits.maxStreamEntries, fitting));
    for (let isRetry = false; !this.isStopped; isRetry = true) {
      const timer = setTimeout(() => this.giveUpWaiting(), limits.confirmTimeoutMs).unref();
      try {
        await append(fields, keptCount, isRetry);
        this.isAway = false;
        // A link that is fast again and has an empty queue is waited for again.
        this.isSlow &&= this.waiting.length > 0;
        this.confirmedNumber = batch.at(-1)?.number ?? this.confirmedNumber;
        this.release(this.confirmedNumber);
        return;
      } catch {
        if (!this.isAway) this.onAway?.();
        this.isAway = true;
        this.release(Infinity);
        await sleep(RETRY_MS, undefined, { ref: false });
      } finally {
        clearTimeout(timer);
      }
    }
  }

  private giveUpWaiting(): void {
    this.isSlow = true;
    this.release(Infinity);
  }

  private release(upTo: number): void {
    if (this.confirmations.length === 0) return;
    const held = this.confirmations;
    this.confirmations = held.filter(({ number }) => number > upTo);
    for (const { number, resolve } of held) if (number <= upTo) resolve();
  }

  private overflow(): void {
    const { length } = this.waiting;
    this.droppedCount += length;
    this.waiting = [];
    this.waitingBytes = 0;
    this.onOverflow(length);
  }
}

function bytesOf(key: string, body: string): number {
  return key.length + body.length + OVERHEAD_BYTES;
}
