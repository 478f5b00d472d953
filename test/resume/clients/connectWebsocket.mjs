import { WebSocket } from 'ws';

/** A link of `MessageClient` over WebSocket. */
export function connectWebsocket(port, { onOpen, onMessage, onClose }) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { handshakeTimeout: 5_000 });
  socket.on('open', onOpen);
  socket.on('message', (data) => onMessage(JSON.parse(data)));
  socket.on('close', onClose);
  socket.on('error', () => undefined);
  return {
    send: (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
    },
    close: () => socket.terminate(),
  };
}
