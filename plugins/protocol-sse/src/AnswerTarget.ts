import type { ServerResponse } from 'node:http';
import type { OutboxTarget } from '@millrace/plugin-kit';

/** An answer over HTTP as the target of an outbox. */
export class AnswerTarget implements OutboxTarget {
  private written = 0;

  constructor(private readonly response: ServerResponse) {}

  get writableLength(): number {
    return this.response.writableLength;
  }

  get bytesWritten(): number {
    return this.written;
  }

  write(bytes: Buffer): void {
    this.written += bytes.length;
    this.response.write(bytes);
  }

  // Node.js corks the socket until the end of the turn. A corked answer that ends loses its last chunks on Node.js 24.
  cork(): void {}

  uncork(): void {}
}
