import { lacksPacketId } from './lacksPacketId.js';

/*
 * The broker has no limit on packets: it would hold 64 MB of one announced 268 MB packet.
 * So packets are counted and put together here, before it: a packet whose header announces too much is refused before
 * its content arrives, and the broker sees whole packets only. An incomplete packet is copied into one buffer, since a
 * megabyte sent byte by byte would else be a million small buffers.
 *
 * The fixed header is one byte and the length of the rest in one to four bytes of 7 bits (MQTT 3.1.1 section 2.2.3).
 */
const MAX_HEADER_BYTES = 5;
const CONTINUES = 0x80;
const FIRST_CAPACITY_BYTES = 4_096;

/** What came of some bytes. */
export type GateVerdict = 'fine' | 'tooLarge' | 'malformed';

/** Turns a stream of bytes into whole packets of bounded size. */
export class PacketGate {
  private held = Buffer.alloc(0);
  private heldBytes = 0;
  private isFirst = true;

  /**
   * @param maxBytes asked for each packet: the largest one allowed, header included
   * @param onPackets gets one or more whole packets
   */
  constructor(
    private readonly maxBytes: (isFirst: boolean) => number,
    private readonly onPackets: (bytes: Buffer) => void,
  ) {}

  /** Bytes of a packet that is not complete yet. */
  get incompleteBytes(): number {
    return this.heldBytes;
  }

  /** Takes bytes as they came. After another verdict than `fine` nothing more may be given. */
  take(chunk: Buffer): GateVerdict {
    let rest = chunk;
    if (this.heldBytes > 0) {
      const used = this.complete(chunk);
      if (typeof used === 'string') return used;
      rest = chunk.subarray(used);
    }
    let whole = 0;
    while (whole < rest.length) {
      const size = this.packetBytes(rest.subarray(whole, whole + MAX_HEADER_BYTES));
      if (typeof size === 'string') return this.pass(rest, whole, size);
      if (size === undefined || whole + size > rest.length) break;
      if (lacksPacketId(rest.subarray(whole, whole + size))) {
        return this.pass(rest, whole, 'malformed');
      }
      whole += size;
      this.isFirst = false;
    }
    if (whole > 0) this.onPackets(rest.subarray(0, whole));
    if (whole < rest.length) this.hold(rest.subarray(whole));
    return 'fine';
  }

  /** Packets before a bad one are still good. */
  private pass(bytes: Buffer, whole: number, verdict: GateVerdict): GateVerdict {
    if (whole > 0) this.onPackets(bytes.subarray(0, whole));
    return verdict;
  }

  /** Adds to the packet that is held. @returns how many bytes of the chunk belong to it, or what is wrong */
  private complete(chunk: Buffer): number | GateVerdict {
    let used = 0;
    let size = this.heldSize();
    // The header itself may be incomplete: byte by byte until the length is known.
    while (size === undefined && used < chunk.length) {
      this.hold(chunk.subarray(used, used + 1));
      used++;
      size = this.heldSize();
    }
    if (typeof size === 'string') return size;
    if (size === undefined) return used;
    const missing = Math.min(size - this.heldBytes, chunk.length - used);
    this.hold(chunk.subarray(used, used + missing));
    used += missing;
    if (this.heldBytes === size) {
      const packet = this.held.subarray(0, size);
      this.held = Buffer.alloc(0);
      this.heldBytes = 0;
      this.isFirst = false;
      if (lacksPacketId(packet)) return 'malformed';
      this.onPackets(packet);
    }
    return used;
  }

  private heldSize(): number | GateVerdict | undefined {
    return this.packetBytes(this.held.subarray(0, Math.min(this.heldBytes, MAX_HEADER_BYTES)));
  }

  /** @returns the size of a packet that begins so, undefined where its header is not complete */
  private packetBytes(header: Buffer): number | GateVerdict | undefined {
    let length = 0;
    for (let at = 1; at < MAX_HEADER_BYTES; at++) {
      const byte = header[at];
      if (byte === undefined) return undefined;
      length += (byte & ~CONTINUES) * 128 ** (at - 1);
      if ((byte & CONTINUES) !== 0) continue;
      const size = 1 + at + length;
      return size > this.maxBytes(this.isFirst) ? 'tooLarge' : size;
    }
    return 'malformed';
  }

  private hold(bytes: Buffer): void {
    const needed = this.heldBytes + bytes.length;
    if (needed > this.held.length) {
      const capacity = Math.max(needed, FIRST_CAPACITY_BYTES, 2 * this.held.length);
      const larger = Buffer.allocUnsafe(
        Math.min(capacity, Math.max(needed, this.maxBytes(this.isFirst))),
      );
      this.held.copy(larger, 0, 0, this.heldBytes);
      this.held = larger;
    }
    bytes.copy(this.held, this.heldBytes);
    this.heldBytes = needed;
  }
}
