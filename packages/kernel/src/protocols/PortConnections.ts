import type { Duplex } from 'node:stream';
import type { Logger } from '../contracts/runtime/Logger.js';
import { AddressTable, type ConnectionUse, type Place } from './AddressTable.js';
import { isLoopback } from './isLoopback.js';
import { toAddressKey } from './toAddressKey.js';

/** How many connections a port may hold. */
export interface PortLimits {
  /** Name of the protocol: its configuration section has the two keys. */
  readonly protocol: string;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** What a refused client is sent. Default: 503 over HTTP. */
  readonly refusal?: string;
}

/** What all ports of a process share. */
export interface SharedConnections {
  readonly table: AddressTable;
  /** The connections of each port. */
  readonly ports: Set<AddressTable>;
  /** Of all ports together: what the file descriptors of the process allow. */
  readonly maxConnections: number;
  readonly isProxy: (address: string) => boolean;
  readonly log: Logger;
}

/** A socket, or another stream in its place. */
type AnySocket = Duplex & { readonly remoteAddress?: string | undefined };

const IDLE = (): ConnectionUse => 'idle';
const LASTING = (): ConnectionUse => 'lasting';
const HTTP_REFUSAL =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
const WARNING_INTERVAL_MS = 60_000;
// How long a refused client gets to take its answer, and how many such sockets may be open.
const REFUSAL_MS = 1_000;
const MAX_REFUSALS = 50;

/**
 * Bounds the connections of one port: in number, per address and, with the other ports, by the file descriptors of the
 * process. A newcomer for whom there is no room takes the place that costs its owner the least: an idle connection of
 * the address that has the most, else a lasting one of an address that has more than its own. So idle connections never
 * keep a client out.
 *
 * Loopback has no limit per address, and neither has a trusted proxy until the client behind it is known.
 */
export class PortConnections {
  private readonly own = new AddressTable();
  private readonly places = new WeakMap<AnySocket, Place>();
  private warnedAtMs = -Infinity;
  private refusalCount = 0;

  constructor(
    private readonly limits: PortLimits,
    private readonly shared: SharedConnections,
  ) {
    shared.ports.add(this.own);
  }

  /**
   * Takes a new socket, or answers it 503 and closes it.
   * @param use what closing it would cost, where that isn't `idle` until `claim`
   * @returns false where it was refused: nothing else is to be done with it
   */
  accept(socket: AnySocket, use: () => ConnectionUse = IDLE): boolean {
    const isTaken = this.admit(socket, socket.remoteAddress ?? '', use);
    if (isTaken) socket.once('close', () => this.release(socket));
    else this.refuse(socket);
    return isTaken;
  }

  /** False once the socket is closed, or where it was refused. */
  holds(socket: AnySocket): boolean {
    return this.places.has(socket);
  }

  /**
   * Makes a socket a lasting connection of this client; a socket of another application's server is counted from now on.
   * @param client address, as a trusted proxy says
   * @returns false where that address has too many, or the socket is closed: the caller refuses the connection
   */
  claim(socket: AnySocket, client: string): boolean {
    // Its place would never be released.
    if (socket.destroyed) return false;
    const isKnown = this.holds(socket);
    this.release(socket);
    if (!this.admit(socket, client, LASTING)) return false;
    if (!isKnown) socket.once('close', () => this.release(socket));
    return true;
  }

  private admit(socket: AnySocket, address: string, use: () => ConnectionUse): boolean {
    const isProxy = this.shared.isProxy(address);
    const key = toAddressKey(address);
    if (!this.makeRoom(key, !isProxy && !isLoopback(address))) return false;
    const place: Place = { use, close: () => socket.destroy(), address: key, isProxy };
    this.own.add(place);
    this.shared.table.add(place);
    this.places.set(socket, place);
    return true;
  }

  private release(socket: AnySocket): void {
    const place = this.places.get(socket);
    if (place === undefined) return;
    this.places.delete(socket);
    this.own.delete(place);
    this.shared.table.delete(place);
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
    if (isLimited && own.countOf(address) >= limits.maxConnectionsPerAddress) {
      this.warn('maxConnectionsPerAddress', { address });
      return this.evict(own.idleOf(address));
    }
    if (own.size >= limits.maxConnections) {
      this.warn('maxConnections', {});
      return this.evict(own.idleVictimFor(address) ?? own.lastingVictimFor(address));
    }
    if (shared.table.size < shared.maxConnections) return true;
    this.warn('descriptors', { maxConnections: shared.maxConnections });
    // Of the fullest port first: a flood of one port then takes its own connections, not those that others have just got.
    const idle = this.fullestPort().idleVictimFor(address) ?? shared.table.idleVictimFor(address);
    return this.evict(idle ?? shared.table.lastingVictimFor(address));
  }

  private fullestPort(): AddressTable {
    let fullest = this.own;
    for (const port of this.shared.ports) if (port.size > fullest.size) fullest = port;
    return fullest;
  }

  private evict(victim: Place | undefined): boolean {
    if (victim === undefined) return false;
    // Where it is another port's, that one's own count follows when the socket has closed.
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
      limit === 'descriptors'
        ? 'the number of open files allowed (ulimit -n)'
        : `${this.limits.protocol}.${limit}`;
    this.shared.log.warn(
      { protocol: this.limits.protocol, ...fields },
      `connections are at the limit of ${key}: idle ones are closed, and new ones refused where there are none`,
    );
  }
}
