import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { MountedProtocol, Protocol, ProtocolAddress, ProtocolChannels, ProtocolHost } from '@millrace/kernel';
import {
  answerClientError,
  ConnectionSet,
  createWebServer,
  HeldBytes,
  listenOn,
  parseOrigins,
  TlsFiles,
} from '@millrace/plugin-kit';
import type { Server, ServerOptions, Socket } from 'socket.io';
import { ClientConnection, type ConnectionContext } from './ClientConnection.js';
import type { FallbackConfig } from './config.js';
import { Entrance } from './Entrance.js';
import { FallbackNotifier } from './FallbackNotifier.js';
import { HEARTBEAT_EVENT } from './HEARTBEAT_EVENT.js';
import { PayloadTurns } from './PayloadTurns.js';
import { PROTOCOL_NAME } from './PROTOCOL_NAME.js';
import { SOCKET_IO } from './SOCKET_IO.js';

const HEAD_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_HEAD_BYTES = 16_384;
const JOIN_TIMEOUT_MS = 10_000;
// How long a client may take to close its side.
const CLOSE_TIMEOUT_MS = 500;
const METHODS: readonly string[] = ['GET', 'POST', 'OPTIONS'];
const REFUSAL = 'This port speaks socket.io, under the path /socket.io/.\n';

/**
 * The fallback entrypoint: socket.io for older browsers (PROTO-55). Listens from `start` to `stop`, or is mounted in
 * another application.
 */
export class FallbackProtocol implements Protocol {
  readonly name = PROTOCOL_NAME;
  readonly describeChannels = describeChannels;
  readonly notifier: FallbackNotifier;
  readonly mounted: MountedProtocol = {
    path: '/socket.io',
    request: (request, response) => {
      this.track(response);
      this.entrance?.request([request, response], ({ engine }) => engine.handleRequest(request, response));
    },
    upgrade: (request, stream, head) => {
      this.track(stream);
      void this.entrance?.upgrade([request, stream, head], ({ engine }) => engine.handleUpgrade(request, stream, head));
    },
  };
  private readonly connections = new ConnectionSet<ClientConnection>(PROTOCOL_NAME);
  /**
   * Streams that the library leaves open unless the client closes them. On another application's server: pending
   * responses, and upgraded sockets.
   */
  private readonly streams = new Set<Duplex | ServerResponse>();
  private server: HttpServer | undefined;
  private opening: Promise<Server> | undefined;
  private sockets: Server | undefined;
  private entrance: Entrance | undefined;

  constructor(private readonly config: FallbackConfig) {
    this.notifier = new FallbackNotifier(this.connections, () => this.sockets);
  }

  async start(host: ProtocolHost): Promise<ProtocolAddress | null> {
    const { config } = this;
    const tls = TlsFiles.open(PROTOCOL_NAME, config.tls);
    const server = createWebServer(tls, {
      headersTimeout: HEAD_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      maxHeaderSize: MAX_HEAD_BYTES,
      noDelay: true,
    });
    // A poll is silent for one ping interval at most; a client that doesn't read its response has disconnected.
    server.setTimeout(2 * config.keepAliveMs + HEAD_TIMEOUT_MS);
    server.on('clientError', answerClientError);
    server.on('connection', (socket) => this.track(socket));
    // Never listens: the library is attached to it once it is imported, and adds its listeners there.
    const carrier = createServer(refuseOtherPaths);
    const entrance = new Entrance(host, config, () => {
      this.opening ??= this.open(carrier, entrance, host);
      return this.opening;
    });
    entrance.guard(server, carrier);
    const options = {
      ...config,
      protocol: PROTOCOL_NAME,
      scheme: tls === undefined ? 'http' : 'https',
    };
    const address = config.listen ? await listenOn(server, options) : null;
    tls?.watch(server, host.log);
    server.on('error', (error) => host.log.error({ err: error }, 'fallback server error'));
    this.server = server;
    this.entrance = entrance;
    this.connections.watch(config.maxStallMs, config.heartbeatMs);
    return address;
  }

  /**
   * Stops accepting connections and requests, waits for running requests and disconnects all clients. Requests that
   * still run after `drainTimeoutMs` are not awaited; a second call ends all connections at once.
   */
  async stop(): Promise<void> {
    const { server, connections } = this;
    if (server === undefined) return;
    const cut = () => this.streams.forEach((stream) => stream.destroy());
    if (connections.isStopping) {
      cut();
      return connections.whenEmpty();
    }
    server.close();
    this.notifier.flush();
    const { drainTimeoutMs } = this.config;
    await connections.stop([
      [drainTimeoutMs, () => connections.each((client) => client.end())],
      [drainTimeoutMs + CLOSE_TIMEOUT_MS, cut],
    ]);
    const timer = setTimeout(cut, CLOSE_TIMEOUT_MS);
    const sockets = await this.opening?.catch(() => undefined);
    await sockets?.close();
    // Calls back once the last socket has closed.
    await new Promise((resolve) => server.close(resolve));
    clearTimeout(timer);
  }

  /** Imports the library. @throws core.library_unavailable, which is logged: no client receives the reason */
  private async open(carrier: HttpServer, entrance: Entrance, host: ProtocolHost): Promise<Server> {
    const library = await SOCKET_IO.load().catch((error: unknown) => {
      host.log.error({ err: error }, 'the fallback protocol refuses clients');
      throw error;
    });
    const { config } = this;
    const sockets = new library.Server(carrier, this.options(entrance));
    const context = {
      host,
      config,
      notifier: this.notifier,
      onClosed: (gone: ClientConnection) => this.remove(gone, entrance, host),
    };
    sockets.on('connection', (socket) => this.accept(socket, entrance, context));
    sockets.engine.use(refuseOtherMethods);
    sockets.engine.on('connection', (engine: Socket['conn']) => {
      const address = entrance.addressOf(engine.request);
      const incoming = new HeldBytes(host.bytes, address);
      const { maxWaitingBytes } = config;
      new PayloadTurns(engine, { address, maxWaitingBytes, incoming });
    });
    sockets.engine.on('connection_error', (error: object) =>
      host.log.debug({ err: error }, 'socket.io handshake refused'),
    );
    this.sockets = sockets;
    return sockets;
  }

  private options(entrance: Entrance): Partial<ServerOptions> {
    const { config } = this;
    const origins = parseOrigins(config.cors.origin) ?? [];
    return {
      // This protocol exists for older browsers: socket.io 2 uses engine.io 3.
      allowEIO3: true,
      serveClient: false,
      perMessageDeflate: false,
      httpCompression: false,
      // Up to twice the maximum message size is read, so that it can be answered 413; above that the engine
      // disconnects.
      maxHttpBufferSize: 2 * config.maxMessageBytes,
      pingInterval: config.keepAliveMs,
      pingTimeout: config.keepAliveMs,
      connectTimeout: JOIN_TIMEOUT_MS,
      cors: {
        origin: origins === '*' ? '*' : [...origins],
        methods: ['GET', 'POST'],
        allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
        credentials: false,
      },
      allowRequest: (request, done) => {
        const { clientsCount } = this.sockets?.engine ?? { clientsCount: 0 };
        const hasRoom = clientsCount < config.maxConnections && entrance.hasRoomFor(request);
        const isAllowed = hasRoom && !this.connections.isStopping;
        done(isAllowed ? null : 'too many connections', isAllowed);
      },
    };
  }

  private track(stream: Duplex | ServerResponse): void {
    this.streams.add(stream);
    stream.once('close', () => this.streams.delete(stream));
  }

  private accept(socket: Socket, entrance: Entrance, context: ConnectionContext): void {
    const remoteAddress = entrance.addressOf(socket.request);
    const connection = this.connections.create(remoteAddress);
    const client = new ClientConnection(connection, socket, context, performance.now());
    this.connections.add(client);
    entrance.clientOpened(remoteAddress);
    context.host.connectionOpened(connection);
  }

  private remove(client: ClientConnection, entrance: Entrance, host: ProtocolHost): void {
    if (!this.connections.remove(client)) return;
    entrance.clientClosed(client.connection.remoteAddress);
    host.connectionClosed(client.connection, client.cause);
  }
}

function refuseOtherPaths(_: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end(REFUSAL);
}

/** The engine responds with 500 to other methods within a session. */
function refuseOtherMethods({ method = '' }: IncomingMessage, response: ServerResponse, next: () => void): void {
  if (METHODS.includes(method)) {
    next();
    return;
  }
  response.writeHead(405, { Allow: METHODS.join(', ') });
  response.end();
}

/** Requests use one event; each response and each channel uses a separate event. */
function describeChannels(serviceName: string): ProtocolChannels {
  const location = '$message.payload#/requestId';
  return {
    scheme: 'socket.io',
    requests: {
      key: 'fallbackRequests',
      address: serviceName,
      summary: 'The event of requests.',
    },
    responses: {
      key: 'fallbackResponses',
      address: '{requestId}',
      summary: 'An event named by the request.',
      parameters: { requestId: { description: 'The `requestId` of the request.', location } },
      replyAddress: location,
    },
    notifications: {
      key: 'fallbackNotifications',
      address: '{channel}',
      summary: 'An event named by the channel.',
      parameters: { channel: { description: 'From the response to realtime.subscribe.' } },
    },
    heartbeats: {
      key: 'fallbackHeartbeats',
      address: HEARTBEAT_EVENT,
      summary: 'The event of heartbeats, after client.hello.',
    },
  };
}
