/*
 * Encoder for long answers. Encoded in one step, an answer of 60 MB would block the event loop for 100 ms and exist
 * three times: as parts, as one string, as bytes. Instead it is written in chunks, with a pause every few milliseconds;
 * long parts that are already bytes are passed on unchanged.
 */
import { EventLoopPacer } from '../concurrency/EventLoopPacer.js';
import { KeyedQueue } from '../concurrency/KeyedQueue.js';
import type { ByteAccount } from '../concurrency/ByteBudget.js';
import { DeferredMessage } from './DeferredMessage.js';
import { resultLengthOf } from './encodeMessage.js';
import type { JsonPart } from '../json/JsonText.js';
import type { ResponseMessage } from '../contracts/request/Response.js';
import { endOfSlice, stringifyInParts } from '../json/stringifyInParts.js';

/** One answer at a time: several at once would block the event loop for several times as long. */
const encoding = new KeyedQueue();

const CHUNK_BYTES = 262_144;
/** Parts of bytes of at least this length are not copied. */
const UNCOPIED_BYTES = 16_384;
/** UTF-8 takes at most three bytes for a UTF-16 code unit, so a slice always fits into an empty chunk. */
const SLICE_LENGTH = 65_536;
const LOOK_EVERY_BYTES = 32_768;

const LONG_TEXT = 262_144;
const LONG_STRING = 16_384;
const LONG_LIST = 200;

/** True for an answer that may be long enough to be encoded in parts. Checks the outer two levels only. */
export function isLongMessage(message: ResponseMessage): boolean {
  if (message instanceof DeferredMessage) {
    return message.resultLength > LONG_TEXT || isLong(message.error?.details);
  }
  const { result, error } = message;
  if (isLong(result) || isLong(error?.details)) return true;
  return typeof result === 'object' && result !== null && !Array.isArray(result) && Object.values(result).some(isLong);
}

/**
 * The bytes of a response message as JSON, the same as those of `encodeMessage`.
 * @param account counts the bytes; the caller must release them, also after a failure
 * @param isGone true once no client waits for the answer
 * @returns undefined if the client has disconnected, or its address holds more than its share
 * @throws if the result can't be written as JSON
 */
export async function encodeInParts(
  message: ResponseMessage,
  account: ByteAccount,
  isGone: () => boolean,
): Promise<Buffer[] | undefined> {
  // Counted from the start: an answer that waits for its turn already uses memory.
  if (!account.take(resultLengthOf(message))) return undefined;
  return encoding.run('', async () => (isGone() ? undefined : encode(message, account, isGone)));
}

async function encode(
  message: ResponseMessage,
  account: ByteAccount,
  isGone: () => boolean,
): Promise<Buffer[] | undefined> {
  const parts = message instanceof DeferredMessage ? message.toParts() : stringifyInParts(message);
  const writer = new ChunkWriter();
  const pacer = new EventLoopPacer(1);
  let lookAtLength = LOOK_EVERY_BYTES;
  for (const slice of slicesOf(parts)) {
    writer.write(slice);
    if (writer.length < lookAtLength) continue;
    lookAtLength = writer.length + LOOK_EVERY_BYTES;
    if (!holds(account, writer.length)) return undefined;
    if (!pacer.isDue()) continue;
    await pacer.rest();
    if (isGone()) return undefined;
  }
  const chunks = writer.end();
  if (!holds(account, writer.length)) return undefined;
  account.set(writer.length);
  return chunks;
}

function holds(account: ByteAccount, bytes: number): boolean {
  return bytes <= account.heldBytes || account.take(bytes - account.heldBytes);
}

function* slicesOf(parts: Iterable<JsonPart>): Generator<JsonPart, void> {
  for (const part of parts) {
    if (typeof part !== 'string' || part.length <= SLICE_LENGTH) {
      yield part;
      continue;
    }
    for (let from = 0; from < part.length;) {
      const to = endOfSlice(part, from, SLICE_LENGTH);
      yield part.slice(from, to);
      from = to;
    }
  }
}

function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > LONG_STRING;
  return Array.isArray(value) && value.length > LONG_LIST;
}

class ChunkWriter {
  private readonly chunks: Buffer[] = [];
  private chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  private used = 0;
  private doneBytes = 0;

  /** Bytes written so far. */
  get length(): number {
    return this.doneBytes + this.used;
  }

  write(part: JsonPart): void {
    if (typeof part !== 'string') this.writeBytes(part);
    else {
      this.makeRoom(3 * part.length);
      this.used += this.chunk.write(part, this.used);
    }
  }

  end(): Buffer[] {
    this.flush();
    return this.chunks;
  }

  private writeBytes(bytes: Uint8Array): void {
    if (bytes.length >= UNCOPIED_BYTES) {
      this.flush();
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let from = 0; from < buffer.length; from += CHUNK_BYTES) {
        this.push(buffer.subarray(from, from + CHUNK_BYTES));
      }
      return;
    }
    this.makeRoom(bytes.length);
    this.chunk.set(bytes, this.used);
    this.used += bytes.length;
  }

  private makeRoom(bytes: number): void {
    if (this.used + bytes <= this.chunk.length) return;
    this.flush();
    if (bytes > this.chunk.length) this.chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  }

  /** Further bytes go into the rest of the chunk. */
  private flush(): void {
    if (this.used === 0) return;
    this.push(this.chunk.subarray(0, this.used));
    this.chunk = this.chunk.subarray(this.used);
    this.used = 0;
  }

  private push(bytes: Buffer): void {
    this.chunks.push(bytes);
    this.doneBytes += bytes.length;
  }
}
