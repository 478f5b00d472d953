import { inTurn, type ByteAccount, type MillraceError } from '@millrace/kernel';
import type { BodySink } from './readBody.js';

/** Smaller bodies are limited by the number of connections. */
const UNCOUNTED_BYTES = 16_384;
/** Parsing a smaller body takes less time than waiting for a turn. */
const UNPACED_BYTES = 4_096;

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
  private get bytes(): Buffer {
    const [first] = this.chunks;
    return first !== undefined && this.chunks.length === 1 ? first : Buffer.concat(this.chunks);
  }

  /**
   * Parses the whole body, if it isn't short in turn with what other clients send: 500 bodies of 30 KB that arrive
   * together would block the event loop for 200 ms.
   */
  parse<T>(parse: (bytes: Buffer) => T): T | Promise<T> {
    const { bytes } = this;
    if (bytes.length <= UNPACED_BYTES) return parse(bytes);
    this.account ??= this.open();
    const { addressKey } = this.account;
    return new Promise((resolve) => {
      // An exception rejects the promise.
      inTurn(addressKey, bytes.length, () => resolve((async () => parse(bytes))()));
    });
  }

  /** Stops counting its bytes. */
  release(): void {
    this.account?.close();
  }
}
