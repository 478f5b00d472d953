import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  Lifetime,
  NetworkGuard,
  type MountedProtocol,
  type Notifier,
  type PortConnections,
  type Protocol,
  type ProtocolAddress,
  type ProtocolHost,
} from '@millrace/kernel';
import { ChannelTable, listenOn, OriginList, refuseUpgrade } from '@millrace/plugin-kit';
import { WebSocketServer, type ServerOptions } from 'ws';
import { ClientConnection, type ConnectionContext } from './ClientConnection.js';
import type { WebsocketConfig } from './config.js';
import { describeChannels } from './describeChannels.js';
import { PROTOCOL_NAME } from './PROTOCOL_NAME.js';
import { WebsocketNotifier } from './WebsocketNotifier.js';

const HANDSHAKE_TIMEOUT_MS = 10_000;
const MAX_HANDSHAKE_BYTES = 16_384;
// How long a client may take to answer a close frame.
const CLOSE_TIMEOUT_MS = 1_000;
const MAX_WATCH_INTERVAL_MS = 1_000;
const REFUSAL =
  'This port speaks WebSocket: connect with ws:// and send one JSON object per message.\n';

/** The WebSocket entrypoint. Listens from `start` to `stop`, or is mounted in another application. */
export class WebsocketProtocol implements Protocol {
  readonly name = PROTOCOL_NAME;
  readonly describeChannels = describeChannels;
  readonly notifier: Notifier;
  readonly mounted: MountedProtocol = {
    upgrade: (request, stream, head) => {
      void this.upgrade?.({ request, stream, head });
    },
  };
  private readonly connections = new Map<string, ClientConnection>();
  private readonly channels = new ChannelTable<Buffer>();
  private readonly onEmpty: (() => void)[] = [];
  private server: Server | undefined;
  private upgrade: Upgrade | undefined;
  private watchTimer: NodeJS.Timeout | undefined;
  private connectionNumber = 0;
  private isStopping = false;

  constructor(private readonly config: WebsocketConfig) {
    this.notifier = new WebsocketNotifier(this.connections, this.channels);
  }

  async start(host: ProtocolHost): Promise<ProtocolAddress | null> {
    const { config } = this;
    const sockets = new WebSocketServer(serverOptions(config.maxMessageBytes));
    sockets.on('error', (error) => host.log.error({ err: error }, 'WebSocket server error'));
    const context = { host, config, onClosed: (gone: ClientConnection) => this.remove(gone, host) };
    const network = host.network ?? new NetworkGuard();
    const port = network.openPort({ protocol: PROTOCOL_NAME, ...config });
    const origins = new OriginList(`${PROTOCOL_NAME}.cors.origin`, config.cors.origin);
    const entrance: Entrance = { sockets, context, network, port, origins };
    const upgrade = (handshake: Handshake) => this.accept(entrance, handshake);
    const address = config.listen ? await this.listen(host, port, upgrade) : null;
    this.upgrade = upgrade;
    this.watchTimer = setInterval(
      () => this.watch(),
      Math.min(MAX_WATCH_INTERVAL_MS, config.keepAliveMs / 2, config.maxStallMs / 2),
    ).unref();
    return address;
  }

  /**
   * Stops accepting connections and reading requests, waits for running requests, then closes all connections with
   * 1001. Requests that still run after `drainTimeoutMs` are not awaited; a second call closes all sockets at once.
   */
  async stop(): Promise<void> {
    const { server, connections } = this;
    if (this.upgrade === undefined) return;
    if (this.isStopping) {
      for (const connection of connections.values()) connection.terminate();
      return this.whenEmpty();
    }
    this.isStopping = true;
    clearInterval(this.watchTimer);
    server?.close();
    server?.closeAllConnections();
    this.channels.flush();
    for (const connection of connections.values()) connection.finish();
    const hurry = () => {
      for (const connection of connections.values()) connection.hurry();
    };
    const timer = setTimeout(hurry, this.config.drainTimeoutMs);
    await this.whenEmpty();
    clearTimeout(timer);
  }

  private async listen(
    host: ProtocolHost,
    port: PortConnections,
    upgrade: Upgrade,
  ): Promise<ProtocolAddress> {
    const server = createServer(
      {
        headersTimeout: HANDSHAKE_TIMEOUT_MS,
        requestTimeout: HANDSHAKE_TIMEOUT_MS,
        maxHeaderSize: MAX_HANDSHAKE_BYTES,
        noDelay: true,
      },
      refusePlainHttp,
    );
    server.on('connection', (socket) => port.accept(socket));
    server.on('upgrade', (request, stream, head) => {
      if (port.holds(stream)) void upgrade({ request, stream, head });
    });
    server.on('clientError', answerClientError);
    const address = await listenOn(server, {
      ...this.config,
      protocol: PROTOCOL_NAME,
      scheme: 'ws',
    });
    server.on('error', (error) => host.log.error({ err: error }, 'WebSocket server error'));
    this.server = server;
    return address;
  }

  private async accept(entrance: Entrance, { request, stream, head }: Handshake): Promise<void> {
    const { sockets, context, network, port, origins } = entrance;
    // Before ws adds a listener: without one a reset connection would crash the process.
    stream.on('error', () => stream.destroy());
    const remoteAddress = network.addressOf(request);
    const id = `${PROTOCOL_NAME}-${++this.connectionNumber}`;
    const connection = { id, protocol: PROTOCOL_NAME, remoteAddress, lifetime: new Lifetime() };
    const refusal = await network.refusalOfHandshake(request, origins);
    if (refusal !== undefined) {
      refuseUpgrade(stream, connection, refusal);
      return;
    }
    const isFull = this.isStopping || this.connections.size >= this.config.maxConnections;
    if (isFull || !port.claim(stream, remoteAddress)) {
      stream.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      const nowMs = performance.now();
      const client = new ClientConnection(connection, socket, stream as Socket, context, nowMs);
      this.connections.set(id, client);
      context.host.connectionOpened(connection);
    });
  }

  private remove(client: ClientConnection, host: ProtocolHost): void {
    if (!this.connections.delete(client.id)) return;
    this.channels.leaveAll(client);
    host.connectionClosed(client.connection, client.cause);
    if (this.connections.size === 0) this.onEmpty.splice(0).forEach((resolve) => resolve());
  }

  private watch(): void {
    const nowMs = performance.now();
    for (const connection of this.connections.values()) connection.watch(nowMs);
  }

  private whenEmpty(): Promise<void> {
    if (this.connections.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.onEmpty.push(resolve));
  }
}

/** `closeTimeout` is missing in the library's types. */
function serverOptions(maxMessageBytes: number): ServerOptions & { readonly closeTimeout: number } {
  return {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // Up to twice the maximum message size is read, so that it can be answered 413; above that ws closes with 1009.
    maxPayload: 2 * maxMessageBytes,
    autoPong: false,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
}

interface Handshake {
  readonly request: IncomingMessage;
  readonly stream: Duplex;
  readonly head: Buffer;
}

/** Accepts or refuses a handshake. Never rejects. */
type Upgrade = (handshake: Handshake) => Promise<void>;

/** Checks a handshake and creates its connection. */
interface Entrance {
  readonly sockets: WebSocketServer;
  readonly context: ConnectionContext;
  readonly network: NetworkGuard;
  readonly port: PortConnections;
  readonly origins: OriginList;
}

function refusePlainHttp(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(426, {
    'Content-Type': 'text/plain; charset=utf-8',
    Upgrade: 'websocket',
    Connection: 'Upgrade, close',
  });
  response.end(REFUSAL);
}

/** Sends an error response to malformed, too long or too slow requests before closing their connection. */
function answerClientError({ code }: NodeJS.ErrnoException, stream: Duplex): void {
  const reasons: Readonly<Record<string, string>> = {
    HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
    ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  };
  if (!stream.writable || code === 'ECONNRESET') stream.destroy();
  else
    stream.end(`HTTP/1.1 ${reasons[code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
}
