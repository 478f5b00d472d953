import { connectAsync } from 'mqtt';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import type { ResponseMessage } from '@millrace/kernel';
import type { LoginServer } from './openServer.js';

/** A lasting connection of some protocol. */
export interface Client {
  request(message: object): Promise<ResponseMessage>;
  close(): void;
}

/** How clients of each lasting protocol connect. */
export const CONNECT: Readonly<Record<string, (server: LoginServer) => Promise<Client>>> = {
  websocket: async ({ addresses }) => {
    const socket = new WebSocket(addresses['websocket'] ?? '');
    const waiting = new Waiting();
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.on('message', (data: Buffer) => waiting.answer(JSON.parse(data.toString()) as ResponseMessage));
    return {
      request: (message) => waiting.ask((sent) => socket.send(JSON.stringify(sent)), message),
      close: () => socket.terminate(),
    };
  },
  fallback: async ({ addresses }) => {
    const socket = io(addresses['fallback'] ?? '', { forceNew: true, reconnection: false });
    const waiting = new Waiting();
    await new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(undefined));
      socket.once('connect_error', reject);
    });
    socket.onAny((_, message: ResponseMessage) => waiting.answer(message));
    return {
      request: (message) => waiting.ask((sent) => socket.emit('millrace', sent), message),
      close: () => socket.disconnect(),
    };
  },
  mqtt: async ({ addresses }) => {
    const clientId = `c${Math.random().toString(36).slice(2)}`;
    const socket = await connectAsync(addresses['mqtt'] ?? '', { clientId, reconnectPeriod: 0 }, false);
    const waiting = new Waiting();
    socket.on('message', (_, payload) => waiting.answer(JSON.parse(payload.toString()) as ResponseMessage));
    await socket.subscribeAsync(`mqtt.${clientId}`, { qos: 1 });
    return {
      request: (message) =>
        waiting.ask((sent) => void socket.publish('millrace', JSON.stringify(sent)), message),
      close: () => void socket.end(true),
    };
  },
}; // prettier-ignore

/** Requests by their identifier, until they are answered. */
class Waiting {
  private readonly resolvers = new Map<string, (message: ResponseMessage) => void>();
  private count = 0;

  ask(send: (message: object) => unknown, message: object): Promise<ResponseMessage> {
    const requestId = `r${this.count++}`;
    return new Promise((resolve) => {
      this.resolvers.set(requestId, resolve);
      send({ requestId, ...message });
    });
  }

  answer(message: ResponseMessage): void {
    this.resolvers.get(message.requestId)?.(message);
  }
}
