import type { ResponseMessage } from '@millrace/kernel';
import type { Socket } from 'node:net';
import { connectAsync, type IClientOptions } from 'mqtt';
import type { MessageClient } from './MessageClient.js';

/** @throws where the broker refuses the connection; `receive` throws where it refuses the subscription */
export async function connectMqtt(
  url: string,
  clientId: string,
  credentials: IClientOptions = {},
): Promise<MessageClient> {
  const options = { clientId, reconnectPeriod: 0, ...credentials };
  const socket = await connectAsync(url, options, false);
  // With QoS 1 each request follows an acknowledgement, and would wait 40 ms for that of the server's TCP.
  (socket.stream as unknown as Socket).setNoDelay?.(true);
  const closed = new Promise((resolve) => socket.once('close', () => resolve(undefined)));
  const channels = new Map<string, Record<string, unknown>[]>();
  const waiting = new Map<string, (message: ResponseMessage) => void>();
  const everything: string[] = [];
  socket.on('message', (topic, payload) => {
    everything.push(payload.toString());
    const message = JSON.parse(payload.toString()) as ResponseMessage;
    if (topic === `mqtt.${clientId}`) waiting.get(message.requestId)?.(message);
    else channels.get(topic)?.push({ ...message });
  });
  await socket.subscribeAsync(`mqtt.${clientId}`, { qos: 1 });
  let requestNumber = 0;
  return {
    closed,
    everything,
    close: () => void socket.end(true),
    sendNonsense: (bytes) => void socket.publish('millrace', bytes),
    receive: async (channel) => {
      const received: Record<string, unknown>[] = [];
      channels.set(channel, received);
      await socket.subscribeAsync(channel, { qos: 1 });
      return received;
    },
    request: (message) =>
      new Promise((resolve) => {
        const { requestId: given } = message;
        const requestId = typeof given === 'string' ? given : `r${requestNumber++}`;
        waiting.set(requestId, resolve);
        socket.publish('millrace', JSON.stringify({ ...message, requestId }));
      }),
  };
}
