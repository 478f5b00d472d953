import { ParseTurns } from '@millrace/kernel';
import type { HeldBytes } from '@millrace/plugin-kit';
import type { Socket } from 'socket.io';

/*
 * A poll brings up to 2 MiB of packets at once. The library decodes all of them in one go, and a packet may have 18
 * bytes: so their number is limited before any is decoded, and the library gets them in turns with those of other clients.
 */
const MAX_PACKETS = 1_000;
/** Memory of a waiting packet, in addition to its content. */
const PACKET_BYTES = 256;
/** Between the packets of a payload, since version 4 of the engine. */
const SEPARATOR = '\x1e';
/** After the length of a packet in bytes, in version 3. */
const LENGTH_END = 255;
const MAX_DIGITS = 10;

interface Packet {
  readonly type: string;
  readonly data?: unknown;
}

type PacketTaker = (packet: Packet, position: number, total: number) => unknown;

/** Closes the session. */
const TOO_MANY: Packet = { type: 'error', data: 'too many packets, or malformed' };

/** The members of a transport that polls, missing in the library's types. */
interface PollingTransport {
  readonly name: string;
  readonly protocol: 3 | 4;
  parser: {
    /** Version 4 returns the packets, version 3 passes them on. */
    decodePayload(payload: string | Buffer, take?: PacketTaker): readonly Packet[] | undefined;
  };
  onPacket(packet: Packet): void;
  onClose(): void;
}

/** Limits of `PayloadTurns`. */
export interface PayloadLimits {
  /** Of the client. */
  readonly address: string;
  /** Of packets that wait for their turn. */
  readonly maxWaitingBytes: number;
  /** Counts them. */
  readonly incoming: HeldBytes;
}

/** Takes what the polls of one client bring, in turn with those of others. */
export class PayloadTurns {
  private readonly turns: ParseTurns;
  private waitingBytes = 0;

  constructor(
    private readonly engine: Socket['conn'],
    private readonly limits: PayloadLimits,
  ) {
    this.turns = new ParseTurns(limits.address);
    const transport = engine.transport as unknown as PollingTransport;
    if (transport.name !== 'polling') return;
    transport.parser = limited(transport);
    const take = transport.onPacket.bind(transport);
    const close = transport.onClose.bind(transport);
    transport.onPacket = (packet) => this.add(packet, take);
    // After the packets before it.
    transport.onClose = () => (this.turns.isWaiting ? this.turns.add(0, close) : close());
    engine.once('close', () => {
      this.turns.clear();
      limits.incoming.release();
    });
  }

  private add(packet: Packet, take: (packet: Packet) => void): void {
    const bytes = typeof packet.data === 'string' ? packet.data.length : 0;
    this.hold(bytes + PACKET_BYTES);
    this.turns.add(bytes, () => {
      this.hold(-bytes - PACKET_BYTES);
      take(packet);
    });
    const { maxWaitingBytes, incoming } = this.limits;
    // A single packet has a separate limit.
    const isMuch = this.waitingBytes > Math.max(bytes + PACKET_BYTES, maxWaitingBytes);
    if (isMuch || incoming.isTooMuch) this.engine.close(true);
  }

  private hold(bytes: number): void {
    this.waitingBytes += bytes;
    this.limits.incoming.set(this.waitingBytes);
  }
}

/** The transport's parser, with a limit of the packets in a payload. */
function limited({ parser, protocol }: PollingTransport): PollingTransport['parser'] {
  const hasTooMany = protocol === 4 ? hasManyParts : hasManyLengths;
  const decodePayload: PollingTransport['parser']['decodePayload'] = (payload, take) => {
    if (!hasTooMany(payload)) return parser.decodePayload(payload, take);
    take?.(TOO_MANY, 0, 1);
    return [TOO_MANY];
  };
  return { ...parser, decodePayload };
}

/** Version 4: packets are separated by a character. */
function hasManyParts(payload: string | Buffer): boolean {
  let count = 0;
  for (let at = 0; at >= 0; at = payload.indexOf(SEPARATOR, at + 1)) {
    count++;
    if (count > MAX_PACKETS) return true;
  }
  return false;
}

/** Version 3: each packet follows its length, in a string as `12:…`, in bytes as `type 1 2 255 …`. */
function hasManyLengths(payload: string | Buffer): boolean {
  let count = 0;
  for (let at = 0; at < payload.length; count++) {
    if (count === MAX_PACKETS) return true;
    const isText = typeof payload === 'string';
    const from = isText ? at : at + 1;
    const end = isText ? payload.indexOf(':', from) : payload.indexOf(LENGTH_END, from);
    // Malformed: the library would read all of it.
    if (end < 0 || end - from > MAX_DIGITS) return true;
    const digits = isText ? payload.slice(from, end) : payload.subarray(from, end).join('');
    if (!/^\d+$/.test(digits)) return true;
    at = end + 1 + Number(digits);
  }
  return false;
}
