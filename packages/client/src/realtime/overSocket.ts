import type { Transport } from '../Transport.js';
import type { Connection } from './Connection.js';

/**
 * Sends requests over the connection while it is open, and over HTTP otherwise: all of them, or those of the controller
 * `realtime` alone. An answer over HTTP tells the connection that the server is there.
 */
export function overSocket(connection: Connection, http: Transport, areAll: boolean): Transport {
  return async (message, context) => {
    const isSuitable = areAll || message.controller === 'realtime';
    if (!isSuitable || connection.state !== 'open') {
      const answer = await http(message, context);
      if (answer.response.status < 500) connection.answered();
      return answer;
    }
    const { token, signal } = context;
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      connection.request(message, token).then((response) => resolve({ response }), reject);
    });
  };
}
