import type { RealtimeConnection } from '@millrace/client/realtime';
import { LiveView, type Seed, type ViewSource } from './LiveView.js';

/** What `dehydrate` carries from a server to a page; plain JSON. */
export type Dehydrated = Readonly<Record<string, Seed>>;

const all = new WeakMap<RealtimeConnection, LiveViews>();

/** The views of a client. */
export class LiveViews {
  readonly #views = new Map<string, LiveView<unknown>>();
  #seeds: Record<string, Seed> = {};

  /** Those of the client with this connection. */
  static of(connection: RealtimeConnection): LiveViews {
    const found = all.get(connection) ?? new LiveViews();
    all.set(connection, found);
    return found;
  }

  /** The view of a key, the same for all components. */
  view<D>(key: readonly unknown[], source: ViewSource<D>): LiveView<D> {
    const name = JSON.stringify(key);
    const found = this.#views.get(name);
    if (found !== undefined) return found as LiveView<D>;
    const made = new LiveView(source, () => this.#views.delete(name), this.#seeds[name]);
    delete this.#seeds[name];
    this.#views.set(name, made);
    return made;
  }

  dehydrate(): Dehydrated {
    const seeds = [...this.#views].map(([name, { seed }]) => [name, seed] as const);
    return Object.fromEntries(seeds.filter((each): each is [string, Seed] => each[1] !== undefined));
  }

  hydrate(seeds: Dehydrated): void {
    this.#seeds = { ...this.#seeds, ...seeds };
  }
}
