import type { SharedSubscription } from './SharedSubscription.js';

/** The subscriptions of a client, by their keys and by the channels of their notifications. */
export class SubscriptionTable {
  readonly #byKey = new Map<string, SharedSubscription>();
  readonly #byChannel = new Map<string, Set<SharedSubscription>>();

  get all(): SharedSubscription[] {
    return [...this.#byKey.values()];
  }

  get(key: string): SharedSubscription | undefined {
    return this.#byKey.get(key);
  }

  add(shared: SharedSubscription): void {
    this.#byKey.set(shared.key, shared);
  }

  /** Whether it is still wanted: another one with the same key may have replaced it. */
  has(shared: SharedSubscription): boolean {
    return this.#byKey.get(shared.key) === shared;
  }

  remove(shared: SharedSubscription): void {
    if (this.has(shared)) this.#byKey.delete(shared.key);
    const { channel = '' } = shared;
    const all = this.#byChannel.get(channel);
    all?.delete(shared);
    if (all?.size === 0) this.#byChannel.delete(channel);
  }

  /** Its notifications arrive on this channel. */
  listen(shared: SharedSubscription, channel: string): void {
    const all = this.#byChannel.get(channel) ?? new Set();
    this.#byChannel.set(channel, all.add(shared));
  }

  /** Those whose notifications arrive on a channel; undefined: none. */
  of(channel: string): readonly SharedSubscription[] | undefined {
    const all = this.#byChannel.get(channel);
    return all && [...all];
  }

  /** The connection is lost, and all channels with it. */
  lost(): void {
    this.#byChannel.clear();
    for (const shared of this.all) shared.lost();
  }
}
