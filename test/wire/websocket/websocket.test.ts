import { once } from 'node:events';
import { websocket } from '@millrace/protocol-websocket';
import type { ResponseMessage } from '@millrace/kernel';
import { WebSocket } from 'ws';
import { describeMessageRules } from './describeMessageRules.js';

type Received = ResponseMessage & { readonly room: string };

describeMessageRules({
  name: 'websocket',
  plugin: websocket(),
  connect: async (url) => {
    const socket = new WebSocket(url);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const listeners = new Map<string, (message: Received) => void>();
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Received;
      listeners.get(message.room)?.(message);
    });
    await once(socket, 'open');
    let requestNumber = 0;
    return {
      closed,
      close: () => socket.close(),
      hear: async (channel) => {
        const heard: Record<string, unknown>[] = [];
        listeners.set(channel, (message) => heard.push({ ...message }));
        return heard;
      },
      request: (message) =>
        new Promise((resolve) => {
          const requestId = `r${requestNumber++}`;
          listeners.set(requestId, resolve);
          socket.send(JSON.stringify({ requestId, ...message }));
        }),
    };
  },
});
