import { connectSocketio } from './clients/connectSocketio.mjs';
import { connectWebsocket } from './clients/connectWebsocket.mjs';
import { MessageClient } from './clients/MessageClient.mjs';
import { PollClient } from './clients/PollClient.mjs';

/** By name: to which port it connects, and a client that keeps a mirror: `{mirror, open(), close()}`. */
export const TRANSPORTS = {
  websocket: {
    protocol: 'websocket',
    open: ({ port, ...rest }) =>
      new MessageClient({ connect: (events) => connectWebsocket(port, events), ...rest }),
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
  poll: { protocol: 'http', open: (parts) => new PollClient(parts) },
};
