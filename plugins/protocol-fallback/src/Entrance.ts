import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  createRequest,
  errorResponse,
  isLoopback,
  NetworkGuard,
  toAddressKey,
  type PortConnections,
  type ProtocolHost,
} from '@millrace/kernel';
import { onSocket, OriginList, refuseUpgrade } from '@millrace/plugin-kit';
import type { Server as Sockets } from 'socket.io';
import type { FallbackConfig } from './config.js';
import { PROTOCOL_NAME } from './PROTOCOL_NAME.js';

// A browser polls on one connection, posts on a second one and tries WebSocket on a third.
const SOCKETS_PER_CLIENT = 3;
const TOO_MANY = 'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\r\n';

/**
 * Checks incoming requests before the library sees them: pages of foreign sites while the server is open, origins
 * that may not open a WebSocket, too many connections of an address. The library would add CORS headers to refusals.
 */
export class Entrance {
  private readonly network: NetworkGuard;
  private readonly port: PortConnections;
  private readonly origins: OriginList;
  private readonly clientCounts = new Map<string, number>();

  /** @param open opens the library for the first accepted request; further calls give the same promise */
  constructor(
    host: ProtocolHost,
    private readonly config: FallbackConfig,
    private readonly open: () => Promise<Sockets>,
  ) {
    const { maxConnections, maxConnectionsPerAddress, cors } = config;
    this.network = host.network ?? new NetworkGuard();
    this.port = this.network.openPort({
      protocol: PROTOCOL_NAME,
      maxConnections: maxConnections * SOCKETS_PER_CLIENT,
      maxConnectionsPerAddress: maxConnectionsPerAddress * SOCKETS_PER_CLIENT,
    });
    this.origins = new OriginList(`${PROTOCOL_NAME}.cors.origin`, cors.origin);
  }

  /** Passes accepted requests and upgrades of a server on to another one, to which the library has added its listeners. */
  guard(server: Server, carrier: Server): void {
    const used = new WeakSet<Socket>();
    onSocket(server, this.port, (socket) => this.port.accept(socket, () => (used.has(socket) ? 'lasting' : 'idle')));
    server.on('request', (...parts: Exchange) => {
      const { socket } = parts[0];
      if (!this.port.holds(socket)) return;
      used.add(socket);
      this.request(parts, () => carrier.emit('request', ...parts));
    });
    server.on('upgrade', (...parts: Handshake) => {
      if (!this.port.holds(parts[1])) return;
      void this.upgrade(parts, () => carrier.emit('upgrade', ...parts));
    });
  }

  /** Passes on an accepted request. */
  request([request, response]: Exchange, next: (sockets: Sockets) => void): void {
    void this.network.refusalOfHandshake(request).then(async (refusal) => {
      if (refusal !== undefined) return refuseRequest(request, response, refusal);
      try {
        const sockets = await this.open();
        if (!response.destroyed) next(sockets);
      } catch (error) {
        refuseRequest(request, response, error);
      }
    });
  }

  /** Passes on an accepted upgrade to WebSocket. */
  async upgrade([request, stream]: Handshake, next: (sockets: Sockets) => void): Promise<void> {
    stream.on('error', () => stream.destroy());
    const refusal = await this.network.refusalOfHandshake(request, this.origins);
    if (refusal !== undefined) refuseUpgrade(stream, NO_CONNECTION, refusal);
    else if (this.port.claim(stream, this.addressOf(request))) await this.pass(stream, next);
    else stream.end(TOO_MANY);
  }

  private async pass(stream: Duplex, next: (sockets: Sockets) => void): Promise<void> {
    try {
      const sockets = await this.open();
      if (!stream.destroyed) next(sockets);
    } catch (error) {
      refuseUpgrade(stream, NO_CONNECTION, error);
    }
  }

  /** Address of the client that sent a request. */
  addressOf(request: IncomingMessage): string {
    return this.network.addressOf(request);
  }

  /** Whether the address of a handshake may connect another client, whatever its transport. */
  hasRoomFor(request: IncomingMessage): boolean {
    const address = this.addressOf(request);
    const count = this.clientCounts.get(toAddressKey(address)) ?? 0;
    return count < this.config.maxConnectionsPerAddress || isLoopback(address);
  }

  clientOpened(address: string): void {
    const key = toAddressKey(address);
    this.clientCounts.set(key, (this.clientCounts.get(key) ?? 0) + 1);
  }

  clientClosed(address: string): void {
    const key = toAddressKey(address);
    const count = (this.clientCounts.get(key) ?? 1) - 1;
    if (count > 0) this.clientCounts.set(key, count);
    else this.clientCounts.delete(key);
  }
}

type Exchange = [request: IncomingMessage, response: ServerResponse];
type Handshake = [request: IncomingMessage, stream: Duplex, head: Buffer];

const NO_CONNECTION = {
  id: `${PROTOCOL_NAME}-refused`,
  protocol: PROTOCOL_NAME,
  remoteAddress: '',
};

function refuseRequest(request: IncomingMessage, response: ServerResponse, refusal: unknown): void {
  const { message } = errorResponse(createRequest({}, NO_CONNECTION), refusal, false);
  response.writeHead(message.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Request-Id': message.requestId,
    Vary: 'Origin',
    Connection: 'close',
  });
  response.end(JSON.stringify(message));
  request.resume();
}
