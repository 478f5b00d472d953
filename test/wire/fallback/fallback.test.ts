import { fallback } from '@millrace/protocol-fallback';
import { io } from 'socket.io-client';
import { describeMessageRules } from '../websocket/describeMessageRules.js';

describeMessageRules({
  name: 'fallback',
  plugin: fallback(),
  connect: async (url) => {
    const socket = io(url, { forceNew: true, reconnection: false });
    const closed = new Promise((resolve) => socket.once('disconnect', resolve));
    await new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(undefined));
      socket.once('connect_error', reject);
    });
    let requestNumber = 0;
    return {
      closed,
      close: () => socket.disconnect(),
      hear: async (channel) => {
        const heard: Record<string, unknown>[] = [];
        socket.on(channel, (message: Record<string, unknown>) => heard.push(message));
        return heard;
      },
      request: (message) =>
        new Promise((resolve) => {
          const requestId = `r${requestNumber++}`;
          socket.once(requestId, resolve);
          socket.emit('millrace', { requestId, ...message });
        }),
    };
  },
});
