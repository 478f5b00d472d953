/*
 * Limits the memory of subscriptions (docs/decisions/0018): per connection, so that a client can't fill the server
 * with a few connections; per address, a quarter of the total, so that no client takes the share of others with many
 * connections; and for the whole server, a quarter of the heap, at most 512 MiB. Rooms of other nodes count towards
 * the total, because each node keeps the filters and members of all nodes.
 *
 * The numbers are estimates, usually above the real use; what matters is that the total is bounded.
 */
import { getHeapStatistics } from 'node:v8';
import { realtimeErrors, toAddressKey, type Connection, type MillraceError } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RemoteRooms } from './RemoteRooms.js';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import { KeptBytes, type SubscriptionCharge } from './KeptBytes.js';
import type { Room } from './Room.js';

const HEAP_SHARE = 4;
const MAX_DEFAULT_BYTES = 512 * 2 ** 20;
const ADDRESS_SHARE = 4;
/** Other subscriptions end all the time. */
const RETRY_AFTER_SECONDS = 10;

/** Counts the bytes of subscriptions, and refuses those above the limits. */
@scoped(Scope.ContainerScoped)
export class SubscriptionBudget {
  private readonly server = new KeptBytes();
  private readonly byAddress = new Map<string, KeptBytes>();
  private readonly byConnection = new Map<string, KeptBytes>();
  private readonly maxBytes: number;

  constructor(
    @inject(REALTIME_CONFIG) private readonly config: RealtimeConfig,
    @inject(RemoteRooms) private readonly remote: RemoteRooms,
  ) {
    const share = Math.floor(getHeapStatistics().heap_size_limit / HEAP_SHARE);
    const { maxSubscriptionBytes: configured } = config;
    this.maxBytes = configured === 0 ? Math.min(share, MAX_DEFAULT_BYTES) : configured;
  }

  /** @throws realtime.too_many_bytes (429), realtime.subscriptions_full (503) */
  add({ id, remoteAddress }: Connection, charge: SubscriptionCharge): void {
    const address = toAddressKey(remoteAddress);
    const ofConnection = this.byConnection.get(id) ?? new KeptBytes();
    const ofAddress = this.byAddress.get(address) ?? new KeptBytes();
    const excess = this.excess(
      ofConnection.bytesWith(charge),
      ofAddress.bytesWith(charge),
      this.server.bytesWith(charge),
    );
    if (excess !== undefined) throw excess;
    for (const holder of [ofConnection, ofAddress, this.server]) holder.add(charge);
    this.byConnection.set(id, ofConnection);
    this.byAddress.set(address, ofAddress);
  }

  /** The filter of a room that the connection is in takes another amount of memory. */
  resize({ id, remoteAddress }: Connection, room: Room): void {
    const { id: roomId, filterBytes } = room;
    this.byConnection.get(id)?.resize(roomId, filterBytes);
    this.byAddress.get(toAddressKey(remoteAddress))?.resize(roomId, filterBytes);
    this.server.resize(roomId, filterBytes);
  }

  /** Which limit the subscriptions of a connection exceed since a room of theirs was resized; undefined: none. */
  excessOf({ id, remoteAddress }: Connection): MillraceError | undefined {
    const ofConnection = this.byConnection.get(id)?.bytes ?? 0;
    const ofAddress = this.byAddress.get(toAddressKey(remoteAddress))?.bytes ?? 0;
    return this.excess(ofConnection, ofAddress, this.server.bytes);
  }

  private excess(ofConnection: number, ofAddress: number, ofServer: number): MillraceError | undefined {
    const { maxBytesPerConnection } = this.config;
    if (ofConnection > maxBytesPerConnection) {
      const limit = maxBytesPerConnection;
      return realtimeErrors.too_many_bytes({ holder: 'connection', limit });
    }
    const addressLimit = Math.floor(this.maxBytes / ADDRESS_SHARE);
    if (ofAddress > addressLimit) {
      return realtimeErrors.too_many_bytes({ holder: 'address', limit: addressLimit });
    }
    if (ofServer + this.remote.bytes <= this.maxBytes) return undefined;
    const retryAfterSeconds = RETRY_AFTER_SECONDS;
    return realtimeErrors.subscriptions_full({ limit: this.maxBytes }, { retryAfterSeconds });
  }

  /** @param charge the same as for `add` */
  remove({ id, remoteAddress }: Connection, charge: SubscriptionCharge): void {
    const address = toAddressKey(remoteAddress);
    this.server.remove(charge);
    if (this.byConnection.get(id)?.remove(charge) === true) this.byConnection.delete(id);
    if (this.byAddress.get(address)?.remove(charge) === true) this.byAddress.delete(address);
  }
}
