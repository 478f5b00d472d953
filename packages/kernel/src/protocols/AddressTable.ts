/**
 * The cost of closing a connection. `idle`: none, since no request has come or all are answered; `lasting`: its client
 * would have to connect and subscribe again; `busy`: an answer is being sent.
 */
export type ConnectionUse = 'idle' | 'lasting' | 'busy';

/** An admitted connection, and the address that it counts for. */
export interface Place {
  readonly use: () => ConnectionUse;
  readonly close: () => void;
  readonly address: string;
  /** A trusted proxy's connection: many clients share it, so it isn't closed in favour of others. */
  readonly isProxy: boolean;
}

// Limits the search for a connection to close.
const MAX_EXAMINED = 1_000;

/** Connections by address, oldest first, and which of them to close when there are too many. */
export class AddressTable {
  private readonly all = new Set<Place>();
  private readonly byAddress = new Map<string, Set<Place>>();

  get size(): number {
    return this.all.size;
  }

  countOf(address: string): number {
    return this.byAddress.get(address)?.size ?? 0;
  }

  add(place: Place): void {
    this.all.add(place);
    const places = this.byAddress.get(place.address);
    if (places === undefined) this.byAddress.set(place.address, new Set([place]));
    else places.add(place);
  }

  delete(place: Place): void {
    if (!this.all.delete(place)) return;
    const places = this.byAddress.get(place.address);
    places?.delete(place);
    if (places?.size === 0) this.byAddress.delete(place.address);
  }

  /** The oldest idle connection of an address. */
  idleOf(address: string): Place | undefined {
    return findIdle(this.byAddress.get(address) ?? []);
  }

  /**
   * The oldest idle connection of the address with the most connections, else one of any address that has at least as
   * many as the newcomer's address: so a client with few connections doesn't lose them to one with many.
   */
  idleVictimFor(address: string): Place | undefined {
    const own = this.countOf(address);
    return (
      findIdle(this.largest()) ??
      findFirst(this.all, (place) => isIdle(place) && this.countOf(place.address) >= own)
    );
  }

  /**
   * The oldest lasting connection of the address with the most, if that address then still has at least as many as the
   * newcomer's.
   */
  lastingVictimFor(address: string): Place | undefined {
    const largest = this.largest();
    if (largest.size <= this.countOf(address) + 1) return undefined;
    return findFirst(largest, ({ use }) => use() === 'lasting');
  }

  private largest(): ReadonlySet<Place> {
    let largest: ReadonlySet<Place> = new Set();
    for (const places of this.byAddress.values()) {
      const [first] = places;
      if (places.size > largest.size && first?.isProxy === false) largest = places;
    }
    return largest;
  }
}

function findIdle(places: Iterable<Place>): Place | undefined {
  return findFirst(places, isIdle);
}

function isIdle({ isProxy, use }: Place): boolean {
  return !isProxy && use() === 'idle';
}

function findFirst(
  places: Iterable<Place>,
  isWanted: (place: Place) => boolean,
): Place | undefined {
  let examined = 0;
  for (const place of places) {
    if (isWanted(place)) return place;
    examined++;
    if (examined === MAX_EXAMINED) return undefined;
  }
  return undefined;
}
