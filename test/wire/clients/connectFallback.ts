import { io } from 'socket.io-client';
import type { MessageClient } from './MessageClient.js';

export async function connectFallback(url: string): Promise<MessageClient> {
  const socket = io(url, { forceNew: true, reconnection: false });
  const closed = new Promise((resolve) => socket.once('disconnect', resolve));
  const everything: string[] = [];
  socket.onAny((event: string, ...values: unknown[]) => everything.push(JSON.stringify([event, ...values])));
  await new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(undefined));
    socket.once('connect_error', reject);
  });
  let requestNumber = 0;
  return {
    closed,
    everything,
    close: () => socket.disconnect(),
    sendNonsense: (bytes) => void socket.emit('millrace', bytes),
    receive: async (channel) => {
      const received: Record<string, unknown>[] = [];
      socket.on(channel, (message: Record<string, unknown>) => received.push(message));
      return received;
    },
    request: (message) =>
      new Promise((resolve) => {
        const { requestId: given } = message;
        const requestId = typeof given === 'string' ? given : `r${requestNumber++}`;
        socket.once(requestId, resolve);
        socket.emit('millrace', { ...message, requestId });
      }),
  };
}
