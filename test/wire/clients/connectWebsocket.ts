import { once } from 'node:events';
import type { ResponseMessage } from '@millrace/kernel';
import { WebSocket } from 'ws';
import type { MessageClient } from './MessageClient.js';

type Received = ResponseMessage & { readonly room: string };

export async function connectWebsocket(url: string): Promise<MessageClient> {
  const socket = new WebSocket(url);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const listeners = new Map<string, (message: Received) => void>();
  const everything: string[] = [];
  socket.on('message', (data: Buffer) => {
    everything.push(data.toString());
    const message = JSON.parse(data.toString()) as Received;
    listeners.get(message.room)?.(message);
  });
  await once(socket, 'open');
  let requestNumber = 0;
  return {
    closed,
    everything,
    close: () => socket.close(),
    sendNonsense: (bytes) => socket.send(bytes),
    receive: async (channel) => {
      const received: Record<string, unknown>[] = [];
      listeners.set(channel, (message) => received.push({ ...message }));
      return received;
    },
    request: (message) =>
      new Promise((resolve) => {
        const { requestId: given } = message;
        const requestId = typeof given === 'string' ? given : `r${requestNumber++}`;
        listeners.set(requestId, resolve);
        socket.send(JSON.stringify({ ...message, requestId }));
      }),
  };
}
