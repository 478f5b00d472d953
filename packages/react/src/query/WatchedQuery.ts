import type { RealtimeEvent, Subscription } from '@millrace/client/realtime';
import type { LiveSource } from '../subscribed.js';
import type { QueryClientLike, QueryLike } from './QueryClientLike.js';

/** A query that follows its subscription. */
export class WatchedQuery {
  readonly #subscription: Subscription<unknown>;
  #isReading = false;
  #isStale = false;

  constructor(
    private readonly queryClient: QueryClientLike,
    private readonly query: QueryLike,
    private readonly source: LiveSource<unknown>,
  ) {
    this.#subscription = source.subscribe(undefined);
    this.#subscription.on('event', (event) => this.#receive(event));
    // What was read before may miss a change that no event reports.
    this.#subscription.ready.then(
      () => void this.#read(),
      // The query shows its own error.
      () => undefined,
    );
  }

  close(): void {
    this.#subscription.close();
  }

  #receive(event: RealtimeEvent<unknown>): void {
    const { queryClient, query } = this;
    const data = this.source.apply(event);
    // A reading that has begun may be older than the event.
    const isReading = query.state.fetchStatus === 'fetching' || this.#isReading;
    if (data === undefined || isReading) void this.#read();
    else queryClient.setQueryData(query.queryKey, data);
  }

  async #read(): Promise<void> {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    const { queryKey } = this.query;
    while (this.#isStale) {
      // It joins a reading that has begun, and reads once more then.
      this.#isStale = this.query.state.fetchStatus === 'fetching';
      await this.queryClient.refetchQueries({ queryKey, exact: true }, { cancelRefetch: false });
    }
    this.#isReading = false;
  }
}
