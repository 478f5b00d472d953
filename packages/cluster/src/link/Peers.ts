/** Another node, as known from its messages. */
export interface Peer {
  readonly id: string;
  isAlive: boolean;
  /** True if the node is in the list of nodes but hasn't sent a message yet. */
  isUnconfirmed: boolean;
  /** Number of its newest message; undefined before the first. */
  lastNumber: number | undefined;
  lastSeenMs: number;
  /** It has received our messages up to this number. */
  ackedNumber: number;
}

/** Maximum of departed nodes whose numbers are remembered, in case one of them was only frozen. */
const MAX_GONE = 200;

/** The other nodes. */
export class Peers {
  private readonly byId = new Map<string, Peer>();

  /** The live nodes. */
  *alive(): Iterable<Peer> {
    for (const peer of this.byId.values()) if (peer.isAlive) yield peer;
  }

  get aliveCount(): number {
    let count = 0;
    for (const { isAlive } of this.byId.values()) if (isAlive) count++;
    return count;
  }

  find(id: string): Peer | undefined {
    return this.byId.get(id);
  }

  /** Adds a node reported by the list of nodes. */
  addUnconfirmed(id: string, nowMs: number): void {
    if (!this.byId.has(id)) this.add(id, nowMs, true);
  }

  /** Records a message of a node. @returns whether the node was not known to be alive */
  markSeen(id: string, nowMs: number): { readonly peer: Peer; readonly isNew: boolean } {
    const peer = this.byId.get(id) ?? this.add(id, nowMs, false);
    const isNew = !peer.isAlive || peer.lastNumber === undefined;
    peer.isAlive = true;
    peer.isUnconfirmed = false;
    peer.lastSeenMs = nowMs;
    return { peer, isNew };
  }

  /** Removes a node. @returns whether it was known to be alive */
  drop(id: string): boolean {
    const peer = this.byId.get(id);
    if (peer === undefined || !peer.isAlive) return false;
    peer.isAlive = false;
    // Re-inserted at the end, so that the nodes gone longest are removed first.
    this.byId.delete(id);
    this.byId.set(id, peer);
    this.boundGone();
    return true;
  }

  /** Resets the silence of all nodes: this node wasn't reading the stream. */
  forgiveSilence(nowMs: number): void {
    for (const peer of this.byId.values()) peer.lastSeenMs = nowMs;
  }

  private add(id: string, nowMs: number, isUnconfirmed: boolean): Peer {
    const peer: Peer = {
      id,
      isAlive: true,
      isUnconfirmed,
      lastNumber: undefined,
      lastSeenMs: nowMs,
      ackedNumber: 0,
    };
    this.byId.set(id, peer);
    return peer;
  }

  private boundGone(): void {
    let excess = this.byId.size - this.aliveCount - MAX_GONE;
    for (const [id, { isAlive }] of this.byId) {
      if (excess <= 0) return;
      if (isAlive) continue;
      this.byId.delete(id);
      excess--;
    }
  }
}
