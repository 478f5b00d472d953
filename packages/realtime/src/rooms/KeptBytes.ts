/** What one subscription takes. */
export interface SubscriptionCharge {
  readonly roomId: string;
  /** Of the room's filter: counts once for each holder, however many subscriptions it has in the room. */
  readonly filterBytes: number;
  /** Of the subscription itself, and of the metadata where it brings its connection into the room. */
  readonly ownBytes: number;
}

/** The bytes that one holder keeps in memory by its subscriptions: a connection, an address, the server. */
export class KeptBytes {
  private total = 0;
  /** Subscriptions by room. */
  private readonly counts = new Map<string, number>();

  /** The bytes with one more subscription. */
  bytesWith({ roomId, filterBytes, ownBytes }: SubscriptionCharge): number {
    return this.total + ownBytes + (this.counts.has(roomId) ? 0 : filterBytes);
  }

  add(charge: SubscriptionCharge): void {
    const { roomId } = charge;
    this.total = this.bytesWith(charge);
    this.counts.set(roomId, (this.counts.get(roomId) ?? 0) + 1);
  }

  /** @returns whether the holder has no subscription any more */
  remove({ roomId, filterBytes, ownBytes }: SubscriptionCharge): boolean {
    const left = (this.counts.get(roomId) ?? 0) - 1;
    this.total -= ownBytes + (left > 0 ? 0 : filterBytes);
    if (left > 0) this.counts.set(roomId, left);
    else this.counts.delete(roomId);
    return this.counts.size === 0;
  }
}
