import type { ConnectionState, RealtimeConnection } from '@millrace/client/realtime';
import { useSyncExternalStore } from 'react';

/** The state of the connection of a client; `idle` on a server. */
export function useConnection(client: { readonly connection: RealtimeConnection }): ConnectionState {
  const { connection } = client;
  return useSyncExternalStore(
    connection.onState,
    () => connection.state,
    () => 'idle',
  );
}
