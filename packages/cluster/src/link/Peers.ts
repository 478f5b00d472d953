/** Another node, as far as it has been heard. */
export interface Peer {
  readonly id: string;
  isAlive: boolean;
  /** Named by the list of nodes, but not heard yet. */
  isHearsay: boolean;
  /** Of its newest message; undefined before the first. */
  lastNumber: number | undefined;
  heardAtMs: number;
  /** It has taken our messages up to this number. */
  ackedNumber: number;
}

/** Nodes that are gone and whose numbers are still known, should one of them only have been frozen. */
const MAX_GONE = 200;

/** The other nodes. */
export class Peers {
  private readonly byId = new Map<string, Peer>();

  /** Those that live. */
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

  /** Somebody says that it lives. */
  addHearsay(id: string, nowMs: number): void {
    if (!this.byId.has(id)) this.add(id, nowMs, true);
  }

  /** It has been heard. @returns whether it was not known to live */
  hear(id: string, nowMs: number): { readonly peer: Peer; readonly isNews: boolean } {
    const peer = this.byId.get(id) ?? this.add(id, nowMs, false);
    const isNews = !peer.isAlive || peer.lastNumber === undefined;
    peer.isAlive = true;
    peer.isHearsay = false;
    peer.heardAtMs = nowMs;
    return { peer, isNews };
  }

  /** It is gone. @returns whether it was known to live */
  drop(id: string): boolean {
    const peer = this.byId.get(id);
    if (peer === undefined || !peer.isAlive) return false;
    peer.isAlive = false;
    // Behind the others: those gone longest leave first.
    this.byId.delete(id);
    this.byId.set(id, peer);
    this.boundGone();
    return true;
  }

  /** Silence before now is not held against anybody: it was this node that did not listen. */
  forgiveSilence(nowMs: number): void {
    for (const peer of this.byId.values()) peer.heardAtMs = nowMs;
  }

  private add(id: string, nowMs: number, isHearsay: boolean): Peer {
    const peer: Peer = {
      id,
      isAlive: true,
      isHearsay,
      lastNumber: undefined,
      heardAtMs: nowMs,
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
