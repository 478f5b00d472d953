/** Memory of one subscription. */
export interface SubscriptionCharge {
  readonly roomId: string;
  /** Of the room's filter: counted once per holder, even if the holder has several subscriptions in the room. */
  readonly filterBytes: number;
  /** Of the subscription itself, and of the metadata if the subscription adds its connection to the room. */
  readonly ownBytes: number;
}

/** The bytes in memory for the subscriptions of one holder: a connection, an address or the server. */
export class KeptBytes {
  private total = 0;
  /** Number of subscriptions by room. */
  private readonly counts = new Map<string, number>();

  /** The bytes including one more subscription. */
  bytesWith({ roomId, filterBytes, ownBytes }: SubscriptionCharge): number {
    return this.total + ownBytes + (this.counts.has(roomId) ? 0 : filterBytes);
  }

  add(charge: SubscriptionCharge): void {
    const { roomId } = charge;
    this.total = this.bytesWith(charge);
    this.counts.set(roomId, (this.counts.get(roomId) ?? 0) + 1);
  }

  /** @returns whether the holder has no subscriptions left */
  remove({ roomId, filterBytes, ownBytes }: SubscriptionCharge): boolean {
    const left = (this.counts.get(roomId) ?? 0) - 1;
    this.total -= ownBytes + (left > 0 ? 0 : filterBytes);
    if (left > 0) this.counts.set(roomId, left);
    else this.counts.delete(roomId);
    return this.counts.size === 0;
  }
}
