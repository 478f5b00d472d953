import type { ByteAccount, MillraceError } from '@millrace/kernel';
import type { BodySink } from './readBody.js';

/** Smaller bodies are limited by the number of connections. */
const UNCOUNTED_BYTES = 16_384;

/** Collects a body until it is complete. Its bytes are counted for the sender's address. */
export class BufferedBody implements BodySink {
  private readonly chunks: Buffer[] = [];
  private byteCount = 0;
  private account: ByteAccount | undefined;

  /** @param open opens the account of the client's address */
  constructor(private readonly open: () => ByteAccount) {}

  /** @returns api.request_too_heavy (413), or core.overloaded (503) if too much else is held at present */
  take(chunk: Buffer): MillraceError | undefined {
    this.chunks.push(chunk);
    this.byteCount += chunk.length;
    if (this.byteCount <= UNCOUNTED_BYTES) return undefined;
    const isFirst = this.account === undefined;
    this.account ??= this.open();
    if (this.account.take(isFirst ? this.byteCount : chunk.length)) return undefined;
    return this.account.refusal('request');
  }

  /** The whole body. */
  get bytes(): Buffer {
    const [first] = this.chunks;
    return first !== undefined && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
  }

  /** Stops counting its bytes. */
  release(): void {
    this.account?.close();
  }
}
