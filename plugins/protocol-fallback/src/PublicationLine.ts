import { Queue } from '@millrace/kernel';

/*
 * Queue of outgoing notifications, in order. A megabyte is sent per turn of the event loop: more at once (a bulk
 * import) would overflow a client that reads normally, because its socket receives nothing before the next turn. The
 * queue is bounded; above its limit everything is sent at once.
 */
const BYTES_PER_TURN = 1_048_576;
const MAX_LINE_BYTES = 67_108_864;

interface Publication {
  readonly bytes: number;
  readonly send: () => void;
}

/** A queue that sends a bounded number of bytes per turn. */
export class PublicationLine {
  private line = new Queue<Publication>();
  private lineBytes = 0;
  private bytesLeft = BYTES_PER_TURN;
  private isTurnScheduled = false;

  /** Sends after everything added before: at once if the turn's budget allows. */
  add(bytes: number, send: () => void): void {
    this.line.push({ bytes, send });
    this.lineBytes += bytes;
    if (this.lineBytes > MAX_LINE_BYTES) this.flush();
    else if (this.line.size === 1) this.work();
  }

  /** Sends everything queued. */
  flush(): void {
    const { line } = this;
    this.line = new Queue();
    this.lineBytes = 0;
    for (const { send } of line) send();
  }

  private work(): void {
    while (this.bytesLeft > 0) {
      const next = this.line.take();
      if (next === undefined) break;
      this.bytesLeft -= next.bytes;
      this.lineBytes -= next.bytes;
      next.send();
    }
    if (this.isTurnScheduled || this.bytesLeft === BYTES_PER_TURN) return;
    this.isTurnScheduled = true;
    setImmediate(this.turn);
  }

  private readonly turn = (): void => {
    this.isTurnScheduled = false;
    this.bytesLeft = BYTES_PER_TURN;
    if (this.line.size > 0) this.work();
  };
}
