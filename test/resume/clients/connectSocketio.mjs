import { io } from 'socket.io-client';

const SERVICE = 'millrace';

/** A link of `MessageClient` over socket.io. @param transport `polling` or `websocket` */
export function connectSocketio(port, transport, { onOpen, onMessage, onClose }) {
  const socket = io(`http://127.0.0.1:${port}`, {
    forceNew: true,
    reconnection: false,
    transports: [transport],
  });
  socket.on('connect', onOpen);
  socket.onAny((_, message) => onMessage(message));
  socket.on('connect_error', onClose);
  socket.on('disconnect', onClose);
  return {
    send: (message) => {
      if (socket.connected) socket.emit(SERVICE, message);
    },
    close: () => socket.disconnect(),
  };
}
