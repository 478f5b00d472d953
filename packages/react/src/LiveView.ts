/** How long a view without components stays: React unmounts and mounts again in StrictMode and at changes of routes. */
const LINGER_MS = 5_000;

const LOADING = { data: undefined, status: 'loading', error: undefined } as const;

/** What a hook returns. */
export interface LiveState<D> {
  /** Undefined until it was read for the first time. */
  readonly data: D | undefined;
  /** `resuming`: the connection was lost, and the data may be out of date. */
  readonly status: 'loading' | 'live' | 'resuming' | 'error';
  /** Why the status is `error`. */
  readonly error: Error | undefined;
}

/** Data and its position, for `dehydrate`. */
export interface Seed {
  readonly data: unknown;
  readonly cursor?: string;
}

/** Where the data of a view comes from. */
export interface ViewSource<D> {
  /** Reads the data and its position once, on a server. */
  load(): Promise<Seed>;
  /**
   * Begins to keep the data of a view up to date, by `view.set`.
   * @param cursor the position of the data; undefined: there is none
   */
  open(view: LiveView<D>, cursor: string | undefined): { close(): void };
}

/** Data that is kept up to date while components show it: an external store of React. */
export class LiveView<D> {
  #state: LiveState<D> = LOADING;
  #cursor: string | undefined;
  #open: { close(): void } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  /**
   * @param onUnused called when no component has shown it for 5 s
   * @param seed data of a server
   */
  constructor(
    private readonly source: ViewSource<D>,
    private readonly onUnused: () => void,
    seed: Seed | undefined,
  ) {
    if (seed === undefined) this.#linger();
    else this.#begin(seed);
  }

  readonly getSnapshot = (): LiveState<D> => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0 && this.#state.status === 'error') this.#reset();
    this.#listeners.add(listener);
    clearTimeout(this.#timer);
    this.#open ??= this.source.open(this, this.#cursor);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#linger();
    };
  };

  /** Reads the data without a subscription, on a server. */
  async prefetch(): Promise<void> {
    clearTimeout(this.#timer);
    this.#begin(await this.source.load());
  }

  /** Undefined if there is nothing to carry over. */
  get seed(): Seed | undefined {
    const { data } = this.#state;
    return data === undefined ? undefined : { data, ...(this.#cursor && { cursor: this.#cursor }) };
  }

  set(changes: Partial<LiveState<D>>): void {
    this.#state = { ...this.#state, error: undefined, ...changes };
    for (const listener of this.#listeners) listener();
  }

  /** What failed for components of before, such as those of another user, is tried again for new ones. */
  #reset(): void {
    this.#open?.close();
    this.#open = undefined;
    this.#cursor = undefined;
    this.#state = LOADING;
  }

  #begin({ data, cursor }: Seed): void {
    this.#cursor = cursor;
    this.set({ data: data as D });
  }

  #linger(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#open?.close();
      this.#open = undefined;
      this.onUnused();
    }, LINGER_MS);
    (this.#timer as unknown as { unref?: () => void }).unref?.();
  }
}
