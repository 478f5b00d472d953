import type { RealtimeEvent, Subscription } from '@millrace/client/realtime';
import type { LiveView, ViewSource } from './LiveView.js';

/** Data that is read, and brought up to date by the events of a subscription. */
export interface LiveSource<D> {
  read(): Promise<D>;
  /** The position from which a later subscription leaves nothing out; undefined if there is none. */
  position(): Promise<string | undefined>;
  subscribe(cursor: string | undefined): Subscription<unknown>;
  /** The data after an event; undefined: it has to be read again. */
  apply(event: RealtimeEvent<unknown>): D | undefined;
  /** No events report what was missed: the data is read again after a lost connection. */
  readonly isTransient?: boolean;
}

export function subscribed<D>(source: LiveSource<D>): ViewSource<D> {
  return {
    async load() {
      // Before the data: what changes in between comes again.
      const cursor = await source.position();
      return { data: await source.read(), ...(cursor !== undefined && { cursor }) };
    },
    open: (view, cursor) => open(source, view, cursor),
  };
}

function open<D>(source: LiveSource<D>, view: LiveView<D>, cursor: string | undefined) {
  const subscription = source.subscribe(cursor);
  let isReading = false;
  /** The data has to be read as soon as the subscription is live. */
  let isStale = cursor === undefined;
  const isLive = () => subscription.status === 'live';

  async function read(): Promise<void> {
    isStale = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isStale) {
        isStale = false;
        const data = await source.read();
        view.set({ data, ...(isLive() && { status: 'live' }) });
      }
    } catch (error) {
      // Without a connection it is read when there is one again.
      isStale = true;
      if (isLive()) view.set({ status: 'error', error: error as Error });
    }
    isReading = false;
  }

  subscription.on('status', (status) => {
    const { error } = subscription;
    if (status === 'live') {
      if (isStale) void read();
      else view.set({ status });
    } else if (status === 'resuming') {
      isStale ||= source.isTransient === true;
      view.set({ status });
    } else if (error !== undefined) view.set({ status: 'error', error });
  });
  subscription.on('event', (event) => {
    // The data may have been read before or after this event.
    const data = isReading ? undefined : source.apply(event);
    if (data === undefined) void read();
    else view.set({ data });
  });
  return subscription;
}
