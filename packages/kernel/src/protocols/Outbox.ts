import type { Socket } from 'node:net';
import type { ByteAccount } from '../pipeline/ByteBudget.js';

/*
 * What goes out to one connection, in order. Two things were measured to cost most:
 * a system call per message, so the socket is corked at its first write of a tick and uncorked in `nextTick`; and
 * clients that don't read, so the socket is given 256 KiB at most and the rest waits here. Node joins what waits in a
 * socket into one writev and tells nothing until all of it has left: with small batches a client that reads slowly is
 * seen to make progress, and one that has stopped is not.
 */
const BATCH_BYTES = 262_144;
const COMPACT_AT = 512;

interface QueuedMessage {
  readonly parts: readonly Buffer[];
  readonly length: number;
}

/** The bytes on their way to one connection. Bounded by whoever watches `waitingBytes` and `stalledMs`. */
export class Outbox {
  // With a moving head: shifting a long array costs its length each time.
  private readonly queue: (QueuedMessage | undefined)[] = [];
  private head = 0;
  /** Of the message at the head: bytes that have left, the part that is being sent and how much of that has left. */
  private sentBytes = 0;
  private part = 0;
  private partOffset = 0;
  private queuedBytes = 0;
  private isCorked = false;
  private isOpen = true;
  private lastFlushedBytes = 0;
  private lastProgressAtMs = 0;
  private onEmpty: (() => void)[] = [];

  /** @param account where what waits here is counted, the batch in the socket aside */
  constructor(
    private readonly socket: Socket,
    private readonly account?: ByteAccount,
  ) {
    socket.on('drain', this.pump);
  }

  /**
   * Bytes that wait behind what is being sent. A message that is being sent does not count however long it is: one
   * large result must not look like a slow client.
   */
  get waitingBytes(): number {
    const first = this.queue[this.head];
    const begun = first !== undefined && this.sentBytes > 0 ? first.length - this.sentBytes : 0;
    return this.queuedBytes - begun + this.socket.writableLength;
  }

  /** True once more waits than one batch: time to produce less for this connection. */
  get isCongested(): boolean {
    return this.queuedBytes > 0 || this.socket.writableLength >= BATCH_BYTES;
  }

  /** True once the client's address makes the server hold more than its share. */
  get isOverdrawn(): boolean {
    return this.queuedBytes > 0 && this.account?.isOverdrawn === true;
  }

  /** Sends a whole frame after all that was sent before. */
  send(frame: Buffer): void {
    if (!this.isOpen) return;
    if (this.queuedBytes === 0 && this.socket.writableLength < BATCH_BYTES) {
      if (frame.length <= BATCH_BYTES) {
        this.write(frame);
        return;
      }
    }
    this.enqueue({ parts: [frame], length: frame.length });
  }

  /** As `send`, for a long frame in parts. */
  sendParts(parts: readonly Buffer[]): void {
    if (this.isOpen)
      this.enqueue({ parts, length: parts.reduce((sum, { length }) => sum + length, 0) });
  }

  /** For how long nothing has left although something waits. To be asked regularly: progress is seen between calls. */
  stalledMs(nowMs: number): number {
    const { bytesWritten, writableLength } = this.socket;
    const flushedBytes = bytesWritten - writableLength;
    const isIdle = writableLength === 0 && this.queuedBytes === 0;
    if (isIdle || flushedBytes !== this.lastFlushedBytes) this.lastProgressAtMs = nowMs;
    this.lastFlushedBytes = flushedBytes;
    return nowMs - this.lastProgressAtMs;
  }

  /** Takes nothing more, and forgets what waits. @returns true where a message had been sent in part */
  close(): boolean {
    const isCut = this.sentBytes > 0;
    this.isOpen = false;
    this.queue.length = 0;
    this.head = 0;
    this.beginMessage();
    this.queuedBytes = 0;
    this.account?.close();
    this.onEmpty = [];
    this.socket.off('drain', this.pump);
    return isCut;
  }

  /** Calls back once everything has been handed to the socket. */
  whenEmpty(done: () => void): void {
    if (this.queuedBytes === 0) done();
    else this.onEmpty.push(done);
  }

  private enqueue(message: QueuedMessage): void {
    this.queue.push(message);
    this.queuedBytes += message.length;
    this.account?.add(message.length);
    this.pump();
  }

  private readonly pump = (): void => {
    while (this.queuedBytes > 0 && this.socket.writableLength < BATCH_BYTES) {
      const slice = this.nextSlice();
      this.queuedBytes -= slice.length;
      this.account?.give(slice.length);
      this.write(slice);
    }
    if (this.queuedBytes > 0) return;
    this.queue.length = 0;
    this.head = 0;
    if (this.onEmpty.length > 0) for (const done of this.onEmpty.splice(0)) done();
  };

  private nextSlice(): Buffer {
    const { parts } = this.queue[this.head] as QueuedMessage;
    const part = parts[this.part] as Buffer;
    const slice = part.subarray(this.partOffset, this.partOffset + BATCH_BYTES);
    this.sentBytes += slice.length;
    this.partOffset += slice.length;
    if (this.partOffset < part.length) return slice;
    this.part++;
    this.partOffset = 0;
    if (this.part === parts.length) this.advance();
    return slice;
  }

  private beginMessage(): void {
    this.sentBytes = 0;
    this.part = 0;
    this.partOffset = 0;
  }

  private advance(): void {
    this.beginMessage();
    this.queue[this.head] = undefined;
    this.head++;
    if (this.head < COMPACT_AT) return;
    this.queue.splice(0, this.head);
    this.head = 0;
  }

  private write(bytes: Buffer): void {
    if (!this.isCorked) {
      this.isCorked = true;
      this.socket.cork();
      process.nextTick(this.uncork);
    }
    this.socket.write(bytes);
  }

  private readonly uncork = (): void => {
    this.isCorked = false;
    this.socket.uncork();
  };
}
