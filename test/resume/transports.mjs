import { connectSocketio } from './clients/connectSocketio.mjs';
import { connectWebsocket } from './clients/connectWebsocket.mjs';
import { MessageClient } from './clients/MessageClient.mjs';
import { PollClient } from './clients/PollClient.mjs';
import { SessionClient } from './clients/SessionClient.mjs';
import { StreamClient } from './clients/StreamClient.mjs';

/**
 * By name: to which port it connects, whether a notification may come again (`mayRepeat`), and a client that keeps a
 * mirror: `{mirror, open(), close()}`.
 */
export const TRANSPORTS = {
  websocket: {
    protocol: 'websocket',
    open: ({ port, ...rest }) => new MessageClient({ connect: (events) => connectWebsocket(port, events), ...rest }),
  },
  socketio: {
    protocol: 'fallback',
    open: ({ port, number, ...rest }) => {
      const transport = number % 2 === 0 ? 'websocket' : 'polling';
      return new MessageClient({
        connect: (events) => connectSocketio(port, transport, events),
        ...rest,
      });
    },
  },
  sse: { protocol: 'http', open: (parts) => new StreamClient(parts) },
  poll: { protocol: 'http', open: (parts) => new PollClient(parts) },
  mqtt: { protocol: 'mqtt', mayRepeat: true, open: (parts) => new SessionClient(parts) },
};
