import { connectFallback } from '../wire/clients/connectFallback.js';
import { connectMqtt } from '../wire/clients/connectMqtt.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';
import type { MessageClient } from '../wire/clients/MessageClient.js';
import type { LoginServer } from './openServer.js';

/** How clients of each lasting protocol connect. */
export const CONNECT: Readonly<Record<string, (server: LoginServer) => Promise<MessageClient>>> = {
  websocket: ({ addresses }) => connectWebsocket(addresses['websocket'] ?? ''),
  fallback: ({ addresses }) => connectFallback(addresses['fallback'] ?? ''),
  mqtt: ({ addresses }) => connectMqtt(addresses['mqtt'] ?? '', `c${Math.random().toString(36).slice(2)}`),
}; // prettier-ignore
