import { useEffect, useState } from 'preact/hooks';
import { client } from '../connection.js';

/** The state of the realtime connection; `idle` while nothing is live. */
export function useConnectionStatus() {
  const { connection } = client;
  const [state, setState] = useState(connection.state);
  useEffect(() => {
    const read = () => setState(connection.state);
    read();
    return connection.onState(read);
  }, []);
  return state;
}
