import { useConnection } from '@millrace/react';
import { client } from './client';

/** A line that appears when the connection is lost for more than a moment. */
export function ConnectionState() {
  const state = useConnection(client);
  const isLost = state === 'waiting' || state === 'connecting';
  return (
    <p className="connection" role="status" data-state={state}>
      {isLost && 'No connection. What you write is sent, and what you miss arrives, when it is back.'}
    </p>
  );
}
