import type { RealtimeConnection } from '@millrace/client/realtime';
import { LiveViews, type Dehydrated } from './LiveViews.js';

interface LiveClient {
  readonly connection: RealtimeConnection;
}

/**
 * What was read on a server, with its positions: plain JSON, to be written into the page. Use one client per request.
 * Escape `<` when you write it into a script element.
 */
export function dehydrate(client: LiveClient): Dehydrated {
  return LiveViews.of(client.connection).dehydrate();
}

/** Takes over what `dehydrate` returned, before the first render: components show it at once and continue from there. */
export function hydrate(client: LiveClient, state: Dehydrated): void {
  LiveViews.of(client.connection).hydrate(state);
}
