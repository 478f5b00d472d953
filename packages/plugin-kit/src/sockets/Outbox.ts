import { Queue, type ByteAccount } from '@millrace/kernel';
import { DrainWait } from './DrainWait.js';

/*
 * Outgoing data of one connection, in order. Two things were measured to cost most: a system call per message, so the
 * socket is corked at its first write of a tick and uncorked in `nextTick`; and clients that don't read, so the socket
 * gets at most 256 KiB and the rest waits here. Node merges the data waiting in a socket into one writev and reports
 * nothing until all of it has been sent: small batches show the progress of a slow reader and the lack of it of a
 * stalled one.
 */
const BATCH_BYTES = 262_144;
/** Of a long sequence of messages, as much waits here. */
const MAX_UNDRAINED_BYTES = 1_048_576;

interface QueuedMessage {
  readonly parts: readonly Buffer[];
  readonly length: number;
}

/** Limits of an outbox. */
export interface OutboxLimits {
  readonly maxWaitingBytes: number;
  readonly maxStallMs: number;
  /** The client is too slow, by bytes or by time: the owner closes the connection. Called again while it doesn't. */
  readonly onSlow: (reason: 'bytes' | 'time') => void;
}

/** What an outbox writes to: a socket, or an answer over HTTP. */
export interface OutboxTarget {
  /** Bytes that wait there. */
  readonly writableLength: number;
  /** Bytes passed to it so far. */
  readonly bytesWritten: number;
  write(bytes: Buffer): unknown;
  cork(): void;
  uncork(): void;
}

/**
 * The outgoing bytes of one connection. Most connections are idle: what only those need that have much to send is made
 * when they do.
 */
export class Outbox {
  private queue: Queue<QueuedMessage> | undefined;
  /** For the message at the head: bytes sent, the current part and the bytes sent of that part. */
  private sentBytes = 0;
  private part = 0;
  private partOffset = 0;
  private queuedBytes = 0;
  private isCorked = false;
  private isOpen = true;
  private lastFlushedBytes = 0;
  private lastProgressAtMs = 0;
  private onEmpty: (() => void)[] | undefined;
  private drain: DrainWait | undefined;

  /** @param account counts the bytes that wait here, without the batch in the socket */
  constructor(
    private readonly socket: OutboxTarget,
    private readonly account?: ByteAccount,
    private readonly limits?: OutboxLimits,
  ) {}

  /**
   * Bytes that wait behind the message being sent. That message doesn't count, however long it is: one large result
   * must not look like a slow client.
   */
  get waitingBytes(): number {
    const first = this.queue?.first;
    const begun = first !== undefined && this.sentBytes > 0 ? first.length - this.sentBytes : 0;
    return this.queuedBytes - begun + this.socket.writableLength;
  }

  /** True once more than one batch waits: less should be produced for this connection. */
  get isCongested(): boolean {
    return this.queuedBytes > 0 || this.socket.writableLength >= BATCH_BYTES;
  }

  /** True once half of what may wait does. */
  get isBehind(): boolean {
    return this.isOpen && this.limits !== undefined && this.waitingBytes > this.limits.maxWaitingBytes / 2;
  }

  /** Resolves when most of what waits has been sent, or the outbox is closed; undefined: little waits. */
  drained(): Promise<void> | undefined {
    const { limits, isOpen } = this;
    const limit = Math.min(MAX_UNDRAINED_BYTES, (limits?.maxWaitingBytes ?? Infinity) / 2);
    if (!isOpen || this.waitingBytes <= limit) return undefined;
    this.drain ??= new DrainWait();
    return this.drain.wait();
  }

  /** Sends a whole frame after everything sent before. */
  send(frame: Buffer): void {
    if (!this.isOpen) return;
    const hasRoom = this.queuedBytes === 0 && this.socket.writableLength < BATCH_BYTES;
    if (hasRoom && frame.length <= BATCH_BYTES) this.write(frame);
    else this.enqueue({ parts: [frame], length: frame.length });
    this.checkBytes();
  }

  /** As `send`, for a long frame in parts. */
  sendParts(parts: readonly Buffer[]): number {
    if (!this.isOpen) return 0;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    this.enqueue({ parts, length });
    this.checkBytes();
    return length;
  }

  /** Checks how long nothing has been sent although data waits. To be called regularly: progress is detected between calls. */
  watch(nowMs: number): void {
    const { bytesWritten, writableLength } = this.socket;
    const flushedBytes = bytesWritten - writableLength;
    const isIdle = writableLength === 0 && this.queuedBytes === 0;
    if (isIdle || flushedBytes !== this.lastFlushedBytes) this.lastProgressAtMs = nowMs;
    this.lastFlushedBytes = flushedBytes;
    const { limits } = this;
    if (limits !== undefined && nowMs - this.lastProgressAtMs > limits.maxStallMs) limits.onSlow('time');
  }

  /** Accepts nothing more, and drops waiting data. @returns true if a message had been sent in part */
  close(): boolean {
    const isCut = this.sentBytes > 0;
    this.isOpen = false;
    this.queue = undefined;
    this.beginMessage();
    this.queuedBytes = 0;
    this.account?.close();
    this.onEmpty = undefined;
    this.drain?.drained();
    return isCut;
  }

  /** Calls back once everything has been passed to the socket. */
  whenEmpty(done: () => void): void {
    if (this.queuedBytes === 0) done();
    else (this.onEmpty ??= []).push(done);
  }

  private enqueue(message: QueuedMessage): void {
    this.queue ??= new Queue();
    this.queue.push(message);
    this.queuedBytes += message.length;
    this.account?.add(message.length);
    this.pump();
  }

  private checkBytes(): void {
    const { limits, account } = this;
    if (limits === undefined) return;
    const isOverdrawn = this.queuedBytes > 0 && account?.isOverdrawn === true;
    if (isOverdrawn || this.waitingBytes > limits.maxWaitingBytes) limits.onSlow('bytes');
  }

  /** Passes on what waits. Call when the target drains. */
  pump(): void {
    while (this.queuedBytes > 0 && this.socket.writableLength < BATCH_BYTES) {
      const slice = this.nextSlice();
      this.queuedBytes -= slice.length;
      this.account?.give(slice.length);
      this.write(slice);
    }
    if (this.queuedBytes > 0) return;
    this.queue = undefined;
    this.drain?.drained();
    const { onEmpty } = this;
    this.onEmpty = undefined;
    if (onEmpty !== undefined) for (const done of onEmpty) done();
  }

  private nextSlice(): Buffer {
    const queue = this.queue as Queue<QueuedMessage>;
    const { parts } = queue.first as QueuedMessage;
    const part = parts[this.part] as Buffer;
    const slice = part.subarray(this.partOffset, this.partOffset + BATCH_BYTES);
    this.sentBytes += slice.length;
    this.partOffset += slice.length;
    if (this.partOffset < part.length) return slice;
    this.part++;
    this.partOffset = 0;
    if (this.part === parts.length) {
      this.beginMessage();
      queue.take();
    }
    return slice;
  }

  private beginMessage(): void {
    this.sentBytes = 0;
    this.part = 0;
    this.partOffset = 0;
  }

  private write(bytes: Buffer): void {
    if (!this.isCorked) {
      this.isCorked = true;
      this.socket.cork();
      process.nextTick(Outbox.uncork, this);
    }
    this.socket.write(bytes);
  }

  /** One for all, as most outboxes are idle. */
  private static uncork(this: void, outbox: Outbox): void {
    outbox.isCorked = false;
    outbox.socket.uncork();
  }
}
