/*
 * Limits the memory of subscriptions (docs/decisions/0018): per connection, so that a client can't fill the server
 * with a few connections; per address, a quarter of the total, so that no client takes the share of others with many
 * connections; and for the whole server, a quarter of the heap, at most 512 MiB. Rooms of other nodes count towards
 * the total, because each node keeps the filters and members of all nodes.
 *
 * The numbers are estimates, usually above the real use; what matters is that the total is bounded.
 */
import { getHeapStatistics } from 'node:v8';
import { realtimeErrors, toAddressKey, type Connection } from '@millrace/kernel';
import { inject, Lifecycle as Scope, scoped } from 'tsyringe';
import { RemoteRooms } from '../cluster/RemoteRooms.js';
import { REALTIME_CONFIG, type RealtimeConfig } from '../config.js';
import { KeptBytes, type SubscriptionCharge } from './KeptBytes.js';

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
    const { maxBytesPerConnection } = this.config;
    assertWithin('connection', ofConnection.bytesWith(charge), maxBytesPerConnection);
    assertWithin('address', ofAddress.bytesWith(charge), Math.floor(this.maxBytes / ADDRESS_SHARE));
    if (this.server.bytesWith(charge) + this.remote.bytes > this.maxBytes) {
      const retryAfterSeconds = RETRY_AFTER_SECONDS;
      throw realtimeErrors.subscriptions_full({ limit: this.maxBytes }, { retryAfterSeconds });
    }
    for (const holder of [ofConnection, ofAddress, this.server]) holder.add(charge);
    this.byConnection.set(id, ofConnection);
    this.byAddress.set(address, ofAddress);
  }

  /** @param charge the same as for `add` */
  remove({ id, remoteAddress }: Connection, charge: SubscriptionCharge): void {
    const address = toAddressKey(remoteAddress);
    this.server.remove(charge);
    if (this.byConnection.get(id)?.remove(charge) === true) this.byConnection.delete(id);
    if (this.byAddress.get(address)?.remove(charge) === true) this.byAddress.delete(address);
  }
}

function assertWithin(holder: 'connection' | 'address', bytes: number, limit: number): void {
  if (bytes > limit) throw realtimeErrors.too_many_bytes({ holder, limit });
}
