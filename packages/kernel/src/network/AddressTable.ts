import { toNetworkKey } from '../concurrency/toAddressKey.js';

/**
 * The cost of closing a connection. `idle`: none or little, since it is the client's turn: no request has come, all are
 * answered, or one has not come completely; `lasting`: its client would have to connect and subscribe again; `busy`: an
 * answer is being made or sent.
 */
export type ConnectionUse = 'idle' | 'lasting' | 'busy';

/** An admitted connection, and the address that it counts for. */
export interface Place {
  readonly use: () => ConnectionUse;
  /** When it was accepted, on the monotonic clock. */
  readonly acceptedAtMs: number;
  /** Bytes received so far. */
  readonly bytesRead: number;
  readonly address: string;
  /** A trusted proxy's connection: many clients share it, so it isn't closed in favour of others. */
  readonly isProxy: boolean;
  close(): void;
}

// Limits the search for a connection to close.
const MAX_EXAMINED = 1_000;
/** Among so many idle ones, that with the longest time without progress is closed. */
const MAX_COMPARED = 16;

/** The bytes of a connection when it was last compared, and the time since which they may have arrived. */
interface Progress {
  readonly bytes: number;
  readonly atMs: number;
  readonly comparedAtMs: number;
}

/** Connections by address, oldest first, and which of them to close when there are too many. */
export class AddressTable {
  private readonly all = new Set<Place>();
  private readonly byAddress = new Map<string, Set<Place>>();
  /** A client chooses its address from a whole network (IPv6): the fullest network gives way. */
  private readonly byNetwork = new Map<string, Set<Place>>();
  /** Of idle connections that were compared. */
  private readonly progress = new WeakMap<Place, Progress>();

  get size(): number {
    return this.all.size;
  }

  countOf(address: string): number {
    return this.byAddress.get(address)?.size ?? 0;
  }

  add(place: Place): void {
    this.all.add(place);
    addTo(this.byAddress, place.address, place);
    addTo(this.byNetwork, toNetworkKey(place.address), place);
  }

  delete(place: Place): void {
    if (!this.all.delete(place)) return;
    deleteFrom(this.byAddress, place.address, place);
    deleteFrom(this.byNetwork, toNetworkKey(place.address), place);
  }

  /** An idle connection of an address: see `idleVictimFor`. */
  idleOf(address: string): Place | undefined {
    return this.leastActive(this.byAddress.get(address) ?? []);
  }

  /**
   * An idle connection of the network with the most connections, else one of any network that has at least as many as
   * the newcomer's: so a client with few connections doesn't lose them to one with many. Of the oldest idle ones, that
   * which has received nothing for the longest time.
   */
  idleVictimFor(address: string): Place | undefined {
    const own = this.networkCountOf(address);
    const hasAsMany = (place: Place) => this.networkCountOf(place.address) >= own;
    return this.leastActive(this.largest()) ?? this.leastActive(this.all, hasAsMany);
  }

  /**
   * The oldest lasting connection of the network with the most, if that then still has at least as many as the
   * newcomer's.
   */
  lastingVictimFor(address: string): Place | undefined {
    const largest = this.largest();
    if (largest.size <= this.networkCountOf(address) + 1) return undefined;
    return findFirst(largest, ({ use }) => use() === 'lasting');
  }

  /**
   * The newest connection of the network with the most, busy or not, if that has more than all would have by equal
   * shares, and then still at least as many as the newcomer's.
   */
  newestVictimFor(address: string): Place | undefined {
    const largest = this.largest();
    const own = this.networkCountOf(address);
    const share = this.all.size / (this.byNetwork.size + (own === 0 ? 1 : 0));
    if (largest.size <= Math.max(share, own + 1)) return undefined;
    let newest: Place | undefined;
    for (const place of largest) newest = place;
    return newest;
  }

  private networkCountOf(address: string): number {
    return this.byNetwork.get(toNetworkKey(address))?.size ?? 0;
  }

  private largest(): ReadonlySet<Place> {
    let largest: ReadonlySet<Place> = new Set();
    for (const places of this.byNetwork.values()) {
      const [first] = places;
      if (places.size > largest.size && first?.isProxy === false) largest = places;
    }
    return largest;
  }

  private leastActive(places: Iterable<Place>, isWanted: (place: Place) => boolean = () => true): Place | undefined {
    const nowMs = performance.now();
    let compared = 0;
    let least: Place | undefined;
    let leastAtMs = Infinity;
    findFirst(places, (place) => {
      if (place.isProxy || place.use() !== 'idle' || !isWanted(place)) return false;
      const atMs = this.progressAtMs(place, nowMs);
      if (atMs < leastAtMs) {
        least = place;
        leastAtMs = atMs;
      }
      compared++;
      return compared === MAX_COMPARED;
    });
    return least;
  }

  /**
   * Bytes are looked at when connections are compared: noting the time of each would cost every request. New ones count from
   * the comparison before, so that a connection accepted since then isn't closed before it sends its request.
   */
  private progressAtMs(place: Place, nowMs: number): number {
    const bytes = place.bytesRead;
    const known = this.progress.get(place);
    const atMs = known === undefined ? place.acceptedAtMs : known.bytes === bytes ? known.atMs : known.comparedAtMs;
    this.progress.set(place, { bytes, atMs, comparedAtMs: nowMs });
    return atMs;
  }
}

function addTo(table: Map<string, Set<Place>>, key: string, place: Place): void {
  const places = table.get(key);
  if (places === undefined) table.set(key, new Set([place]));
  else places.add(place);
}

function deleteFrom(table: Map<string, Set<Place>>, key: string, place: Place): void {
  const places = table.get(key);
  places?.delete(place);
  if (places?.size === 0) table.delete(key);
}

function findFirst(places: Iterable<Place>, isWanted: (place: Place) => boolean): Place | undefined {
  let examined = 0;
  for (const place of places) {
    if (isWanted(place)) return place;
    examined++;
    if (examined === MAX_EXAMINED) return undefined;
  }
  return undefined;
}
