import type { RealtimeEvent, Subscription } from '@millrace/client/realtime';

/** How long a view without components stays: React unmounts and mounts again in StrictMode and at changes of routes. */
const LINGER_MS = 5_000;

/** What a hook returns. */
export interface LiveState<D> {
  /** Undefined until it was read for the first time. */
  readonly data: D | undefined;
  /** `resuming`: the connection was lost, and the data may be out of date. */
  readonly status: 'loading' | 'live' | 'resuming' | 'error';
  /** Why the status is `error`. */
  readonly error: Error | undefined;
}

/** Where the data of a view comes from. */
export interface LiveSource<D> {
  read(): Promise<D>;
  /** The position from which a later subscription leaves nothing out; undefined if there is none. */
  position(): Promise<string | undefined>;
  subscribe(cursor: string | undefined): Subscription<unknown>;
  /** The data after an event; undefined: it has to be read again. */
  apply(event: RealtimeEvent<unknown>): D | undefined;
}

/** Data and its position, for `dehydrate`. */
export interface Seed {
  readonly data: unknown;
  readonly cursor?: string;
}

/** Data that is kept up to date while components show it: an external store of React. */
export class LiveView<D> {
  #state: LiveState<D> = { data: undefined, status: 'loading', error: undefined };
  #cursor: string | undefined;
  #subscription: Subscription<unknown> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;
  #isStale = false;
  readonly #listeners = new Set<() => void>();

  /** @param onUnused called when no component has shown it for 5 s */
  constructor(
    private readonly source: LiveSource<D>,
    private readonly onUnused: () => void,
    seed: Seed | undefined,
  ) {
    if (seed === undefined) this.#linger();
    else this.#seed(seed);
  }

  readonly getSnapshot = (): LiveState<D> => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    clearTimeout(this.#timer);
    if (this.#subscription === undefined) this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#linger();
    };
  };

  /** Reads the data without a subscription, on a server. */
  async prefetch(): Promise<void> {
    clearTimeout(this.#timer);
    // Before the data: what changes in between comes again.
    const cursor = await this.source.position();
    this.#seed({ data: await this.source.read(), ...(cursor !== undefined && { cursor }) });
  }

  /** Undefined if there is nothing to carry over. */
  get seed(): Seed | undefined {
    const { data } = this.#state;
    return data === undefined ? undefined : { data, ...(this.#cursor && { cursor: this.#cursor }) };
  }

  #seed({ data, cursor }: Seed): void {
    this.#cursor = cursor;
    this.#set({ data: data as D });
  }

  #start(): void {
    const subscription = this.source.subscribe(this.#cursor);
    this.#subscription = subscription;
    const isComplete = this.#cursor !== undefined;
    subscription.on('status', (status) => {
      if (status === 'live')
        this.#set({ status: this.#state.data === undefined ? 'loading' : 'live' });
      else if (status === 'resuming') this.#set({ status });
      else if (subscription.error !== undefined) this.#fail(subscription.error);
    });
    subscription.on('event', (event) => this.#receive(event));
    if (!isComplete) subscription.ready.then(() => this.#read()).catch(() => undefined);
  }

  #receive(event: RealtimeEvent<unknown>): void {
    // The data may have been read before or after this event.
    if (this.#isReading) this.#isStale = true;
    else {
      const data = this.source.apply(event);
      if (data === undefined) void this.#read();
      else this.#set({ data });
    }
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      do {
        this.#isStale = false;
        const data = await this.source.read();
        this.#set({ data, status: this.#subscription?.status === 'live' ? 'live' : this.#state.status }); // prettier-ignore
      } while (this.#isStale);
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      this.#isReading = false;
    }
  }

  #fail(error: Error): void {
    this.#set({ status: 'error', error });
  }

  #set(changes: Partial<LiveState<D>>): void {
    this.#state = { ...this.#state, error: undefined, ...changes };
    for (const listener of this.#listeners) listener();
  }

  #linger(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#subscription?.close();
      this.#subscription = undefined;
      this.onUnused();
    }, LINGER_MS);
    (this.#timer as unknown as { unref?: () => void }).unref?.();
  }
}
