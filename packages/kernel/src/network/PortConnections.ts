import type { Duplex } from 'node:stream';
import { noteAccepted } from '../concurrency/nextSlice.js';
import type { Logger } from '../contracts/runtime/Logger.js';
import { AddressTable, type ConnectionUse, type Place } from './AddressTable.js';
import { isLoopback } from './isLoopback.js';
import { toAddressKey } from '../concurrency/toAddressKey.js';

/** Limits of a port. */
export interface PortLimits {
  /** Name of the protocol: its configuration section has the two keys. */
  readonly protocol: string;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** The response to a refused client. Default: 503 over HTTP. */
  readonly refusal?: string;
  /** Connections past the limit that may send a probe, see `isReserved`. Default: 0. */
  readonly reserved?: number;
}

/** State that all ports of a process share. */
export interface SharedConnections {
  readonly table: AddressTable;
  /** The connections of each port. */
  readonly ports: Set<AddressTable>;
  /** Maximum for all ports together: limited by the file descriptors of the process. */
  readonly maxConnections: number;
  readonly isProxy: (address: string) => boolean;
  readonly log: Logger;
}

/** A socket, or another stream in its place. */
type AnySocket = Duplex & {
  readonly remoteAddress?: string | undefined;
  readonly bytesRead?: number;
};

const IDLE = (): ConnectionUse => 'idle';
const LASTING = (): ConnectionUse => 'lasting';
const HTTP_REFUSAL =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
const WARNING_INTERVAL_MS = 60_000;
// How long a refused client may take to read its answer, and how many such sockets may be open.
const REFUSAL_MS = 1_000;
const MAX_REFUSALS = 50;

/**
 * Limits the connections of one port: in total, per address and, with the other ports, by the file descriptors of the
 * process. If there is no room, a newcomer replaces the connection that is cheapest to close: an idle one of the
 * network with the most, else a lasting one of a network with more than its own, else the newest one of a network with
 * more than its share. So no client keeps others out, whatever it does with its connections.
 *
 * An address has at most half of the port, so that it never fills it, whatever is configured. Loopback has no limit per
 * address, and neither has a trusted proxy until the client behind it is known: a proxy on the same machine brings the
 * connections of all clients. Loopback that isn't a trusted proxy gives way to other networks like any address.
 */
export class PortConnections {
  private readonly own = new AddressTable();
  private readonly places = new WeakMap<AnySocket, Place>();
  private warnedAtMs = -Infinity;
  private refusalCount = 0;
  /** What ends each of them, oldest first. */
  private readonly reserved = new Map<AnySocket, NodeJS.Timeout>();
  private readonly maxPerAddress: number;
  /** One for all sockets. */
  private readonly onClose = listenerOf((socket) => this.release(socket));

  constructor(
    private readonly limits: PortLimits,
    private readonly shared: SharedConnections,
  ) {
    shared.ports.add(this.own);
    const room = Math.min(limits.maxConnections, shared.maxConnections);
    this.maxPerAddress = Math.min(limits.maxConnectionsPerAddress, Math.ceil(room / 2));
  }

  /**
   * Admits a new socket, or answers it 503 and closes it.
   * @param use the current cost of closing it, if that isn't `idle` until `claim`
   * @returns false if it was refused: the caller must not use it
   */
  accept(socket: AnySocket, use: () => ConnectionUse = IDLE): boolean {
    noteAccepted();
    const isTaken = this.admit(socket, socket.remoteAddress ?? '', use) || this.reserve(socket);
    if (isTaken) socket.on('close', this.onClose);
    else this.refuse(socket);
    return isTaken;
  }

  /** False if the socket is closed or was refused. */
  holds(socket: AnySocket): boolean {
    return this.places.has(socket);
  }

  /**
   * True if the socket was accepted although there is no room: its first request may be a probe, which must be answered
   * also while the port is full. Others are to be answered 503, and the socket is to be closed.
   */
  isReserved(socket: AnySocket): boolean {
    return this.reserved.has(socket);
  }

  /**
   * Turns a socket into a lasting connection of this client; a socket of another application's server is counted from
   * now on.
   * @param client address, as reported by a trusted proxy
   * @returns false if that address has too many connections, or the socket is closed: the caller refuses the connection
   */
  claim(socket: AnySocket, client: string): boolean {
    // Its slot would never be released.
    if (socket.destroyed) return false;
    const isKnown = this.holds(socket);
    this.release(socket);
    if (!this.admit(socket, client, LASTING)) return false;
    if (!isKnown) socket.on('close', this.onClose);
    return true;
  }

  /** No longer counts a socket: another one that uses it, such as its TLS socket, takes its place. */
  release(socket: AnySocket): void {
    clearTimeout(this.reserved.get(socket));
    this.reserved.delete(socket);
    const place = this.places.get(socket);
    if (place === undefined) return;
    this.places.delete(socket);
    this.own.delete(place);
    this.shared.table.delete(place);
  }

  private admit(socket: AnySocket, address: string, use: () => ConnectionUse): boolean {
    const isProxy = this.shared.isProxy(address);
    const key = toAddressKey(address);
    if (!this.makeRoom(key, !isProxy && !isLoopback(address))) return false;
    const place = new SocketPlace(socket, use, key, isProxy);
    this.own.add(place);
    this.shared.table.add(place);
    this.places.set(socket, place);
    return true;
  }

  /** Replaces the oldest reserved one: a probe sends its request at once. */
  private reserve(socket: AnySocket): boolean {
    const { reserved = 0 } = this.limits;
    if (reserved === 0) return false;
    const [oldest] = this.reserved.keys();
    if (oldest !== undefined && this.reserved.size >= reserved) {
      this.release(oldest);
      oldest.destroy();
    }
    this.reserved.set(socket, setTimeout(() => socket.destroy(), REFUSAL_MS).unref());
    return true;
  }

  private refuse(socket: AnySocket): void {
    socket.on('error', () => socket.destroy());
    if (this.refusalCount >= MAX_REFUSALS) {
      socket.destroy();
      return;
    }
    this.refusalCount++;
    const timer = setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
    socket.once('close', () => {
      this.refusalCount--;
      clearTimeout(timer);
    });
    // Unread bytes would turn the end of the connection into a reset, and the client could lose the answer.
    socket.resume();
    socket.end(this.limits.refusal ?? HTTP_REFUSAL);
  }

  private makeRoom(address: string, isLimited: boolean): boolean {
    const { own, limits, shared } = this;
    if (isLimited && own.countOf(address) >= this.maxPerAddress) {
      this.warn('maxConnectionsPerAddress', { address });
      return this.evict(own.idleOf(address));
    }
    if (own.size >= limits.maxConnections) {
      this.warn('maxConnections', {});
      return this.evict(own.idleVictimFor(address) ?? costlyVictim(own, address));
    }
    if (shared.table.size < shared.maxConnections) return true;
    this.warn('descriptors', { maxConnections: shared.maxConnections });
    // From the fullest port first: so a flood on one port closes its own connections rather than those of other ports.
    const idle = this.fullestPort().idleVictimFor(address) ?? shared.table.idleVictimFor(address);
    return this.evict(idle ?? costlyVictim(shared.table, address));
  }

  private fullestPort(): AddressTable {
    let fullest = this.own;
    for (const port of this.shared.ports) if (port.size > fullest.size) fullest = port;
    return fullest;
  }

  private evict(victim: Place | undefined): boolean {
    if (victim === undefined) return false;
    // If it belongs to another port, that port updates its count when the socket has closed.
    this.own.delete(victim);
    this.shared.table.delete(victim);
    victim.close();
    return true;
  }

  private warn(limit: string, fields: object): void {
    const nowMs = performance.now();
    if (nowMs - this.warnedAtMs < WARNING_INTERVAL_MS) return;
    this.warnedAtMs = nowMs;
    const key =
      limit === 'descriptors' ? 'the number of open files allowed (ulimit -n)' : `${this.limits.protocol}.${limit}`;
    this.shared.log.warn(
      { protocol: this.limits.protocol, ...fields },
      `connections are at the limit of ${key}: idle ones are closed, and new ones refused where there are none`,
    );
  }
}

class SocketPlace implements Place {
  readonly acceptedAtMs = performance.now();

  constructor(
    private readonly socket: AnySocket,
    readonly use: () => ConnectionUse,
    readonly address: string,
    readonly isProxy: boolean,
  ) {}

  get bytesRead(): number {
    return this.socket.bytesRead ?? 0;
  }

  close(): void {
    this.socket.destroy();
  }
}

function listenerOf(act: (socket: AnySocket) => void): (this: AnySocket) => void {
  return function (this: AnySocket) {
    act(this);
  };
}

function costlyVictim(table: AddressTable, address: string): Place | undefined {
  return table.lastingVictimFor(address) ?? table.newestVictimFor(address);
}
