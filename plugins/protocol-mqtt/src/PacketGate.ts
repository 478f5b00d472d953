import { lacksPacketId } from './lacksPacketId.js';

/*
 * The broker doesn't limit packets: it would buffer 64 MB of a single packet announced as 268 MB. So packets are
 * counted and assembled here, before the broker: a packet whose header announces too many bytes is refused before its
 * content arrives, and the broker only sees whole packets. An incomplete packet is copied into one buffer; otherwise
 * a megabyte sent byte by byte would become a million small buffers.
 *
 * The fixed header consists of one byte and the length of the rest in one to four bytes of 7 bits (MQTT 3.1.1 section
 * 2.2.3).
 */
const MAX_HEADER_BYTES = 5;
const CONTINUES = 0x80;
const FIRST_CAPACITY_BYTES = 4_096;

/** The result of processing some bytes. */
export type GateVerdict = 'fine' | 'tooLarge' | 'malformed';

/** Turns a stream of bytes into whole packets of bounded size. */
export class PacketGate {
  private held = Buffer.alloc(0);
  private heldBytes = 0;
  private isFirst = true;

  /**
   * @param maxBytes called for each packet: the maximum size, header included
   * @param onPackets receives one or more whole packets
   */
  constructor(
    private readonly maxBytes: (isFirst: boolean) => number,
    private readonly onPackets: (bytes: Buffer) => void,
  ) {}

  /** Bytes received of an incomplete packet. */
  get incompleteBytes(): number {
    return this.heldBytes;
  }

  /** Processes bytes as received. After a verdict other than `fine` it must not be called again. */
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

  /** Packets before an invalid one are still valid. */
  private pass(bytes: Buffer, whole: number, verdict: GateVerdict): GateVerdict {
    if (whole > 0) this.onPackets(bytes.subarray(0, whole));
    return verdict;
  }

  /** Adds to the incomplete packet. @returns how many bytes of the chunk belong to it, or the verdict */
  private complete(chunk: Buffer): number | GateVerdict {
    let used = 0;
    let size = this.heldSize();
    // The header itself may be incomplete: read byte by byte until the length is known.
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

  /** @returns the size of the packet with this header, undefined if the header is incomplete */
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
      const larger = Buffer.allocUnsafe(Math.min(capacity, Math.max(needed, this.maxBytes(this.isFirst))));
      this.held.copy(larger, 0, 0, this.heldBytes);
      this.held = larger;
    }
    bytes.copy(this.held, this.heldBytes);
    this.heldBytes = needed;
  }
}
