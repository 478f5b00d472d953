/** Memory of one subscription. */
export interface SubscriptionCharge {
  readonly roomId: string;
  /**
   * Of the room's filter: counted once per holder, even if the holder has several subscriptions in the room. A changed
   * mapping may have changed them since.
   */
  readonly filterBytes: number;
  /** Of the subscription itself, and of the metadata if the subscription adds its connection to the room. */
  readonly ownBytes: number;
}

/** The bytes in memory for the subscriptions of one holder: a connection, an address or the server. */
export class KeptBytes {
  private total = 0;
  private readonly rooms = new Map<string, { subscriptionCount: number; filterBytes: number }>();

  get bytes(): number {
    return this.total;
  }

  /** The bytes including one more subscription. */
  bytesWith({ roomId, filterBytes, ownBytes }: SubscriptionCharge): number {
    return this.total + ownBytes + (this.rooms.has(roomId) ? 0 : filterBytes);
  }

  add(charge: SubscriptionCharge): void {
    const { roomId, filterBytes } = charge;
    this.total = this.bytesWith(charge);
    const room = this.rooms.get(roomId);
    if (room === undefined) this.rooms.set(roomId, { subscriptionCount: 1, filterBytes });
    else room.subscriptionCount += 1;
  }

  /** The filter of a room takes another amount of memory. */
  resize(roomId: string, filterBytes: number): void {
    const room = this.rooms.get(roomId);
    if (room === undefined) return;
    this.total += filterBytes - room.filterBytes;
    room.filterBytes = filterBytes;
  }

  /** @returns whether the holder has no subscriptions left */
  remove({ roomId, ownBytes }: SubscriptionCharge): boolean {
    const room = this.rooms.get(roomId);
    this.total -= ownBytes;
    if (room !== undefined && --room.subscriptionCount === 0) {
      this.total -= room.filterBytes;
      this.rooms.delete(roomId);
    }
    return this.rooms.size === 0;
  }
}
