import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  inTurn,
  NetworkGuard,
  type Connection,
  type MountedProtocol,
  type Notifier,
  type PortConnections,
  type Protocol,
  type ProtocolAddress,
  type ProtocolChannels,
  type ProtocolHost,
} from '@millrace/kernel';
import {
  answerClientError,
  ChannelTable,
  ConnectionSet,
  createWebServer,
  isTls,
  listenOn,
  onSocket,
  OriginList,
  refuseUpgrade,
  TlsFiles,
} from '@millrace/plugin-kit';
import { WebSocketServer, type ServerOptions } from 'ws';
import { ClientConnection, type ConnectionContext } from './ClientConnection.js';
import type { WebsocketConfig } from './config.js';
import { WebsocketNotifier } from './WebsocketNotifier.js';

/** Name of this protocol in statistics and in `Connection.protocol`. */
const PROTOCOL_NAME = 'websocket';

const HANDSHAKE_TIMEOUT_MS = 10_000;
const MAX_HANDSHAKE_BYTES = 16_384;
// How long a client may take to answer a close frame.
const CLOSE_TIMEOUT_MS = 1_000;
const NO_ROOM = 'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\r\n';
const REFUSAL = 'This port speaks WebSocket: connect with ws:// and send one JSON object per message.\n';

/** The WebSocket entrypoint. Listens from `start` to `stop`, or is mounted in another application. */
export class WebsocketProtocol implements Protocol {
  readonly name = PROTOCOL_NAME;
  readonly describeChannels = (): ProtocolChannels => describeChannels(isTls(this.config.tls) ? 'wss' : 'ws');
  readonly notifier: Notifier;
  readonly mounted: MountedProtocol;
  private readonly connections = new ConnectionSet<ClientConnection>(PROTOCOL_NAME);
  private readonly channels = new ChannelTable<Buffer>();
  private server: Server | undefined;
  private upgrade: Upgrade | undefined;

  constructor(private readonly config: WebsocketConfig) {
    this.notifier = new WebsocketNotifier(this.connections, this.channels);
    this.mounted = {
      ...(config.path === '' ? {} : { upgradePath: config.path }),
      upgrade: (request, stream, head) => {
        if (this.upgrade === undefined) stream.destroy();
        else void this.upgrade({ request, stream, head });
      },
    };
  }

  async start(host: ProtocolHost): Promise<ProtocolAddress | null> {
    const { config } = this;
    const sockets = new WebSocketServer(serverOptions(config.maxMessageBytes));
    sockets.on('error', (error) => host.log.error({ err: error }, 'WebSocket server error'));
    const context: ConnectionContext = {
      host,
      config,
      sendInOrder: (connection, frame) => this.channels.notify(connection, frame),
      onClosed: (gone) => this.remove(gone, host),
    };
    const network = host.network ?? new NetworkGuard();
    const port = network.openPort({ protocol: PROTOCOL_NAME, ...config });
    const origins = new OriginList(`${PROTOCOL_NAME}.cors.origin`, config.cors.origin);
    const entrance: Entrance = { sockets, context, network, port, origins };
    const upgrade = (handshake: Handshake) => this.accept(entrance, handshake);
    const address = config.listen ? await this.listen(host, port, upgrade) : null;
    this.upgrade = upgrade;
    this.connections.watch(config.keepAliveMs, config.maxStallMs, config.heartbeatMs);
    return address;
  }

  /**
   * Stops accepting connections and reading requests, waits for running requests, then closes all connections with
   * 1012. Requests that still run after `drainTimeoutMs` are not awaited; a second call closes all sockets at once.
   */
  async stop(): Promise<void> {
    const { server, connections } = this;
    if (this.upgrade === undefined) return;
    if (connections.isStopping) {
      connections.each((connection) => connection.terminate());
      return connections.whenEmpty();
    }
    server?.close();
    server?.closeAllConnections();
    this.channels.flush();
    const hurry = () => connections.each((connection) => connection.hurry());
    await connections.stop([[this.config.drainTimeoutMs, hurry]]);
  }

  private async listen(host: ProtocolHost, port: PortConnections, upgrade: Upgrade): Promise<ProtocolAddress> {
    const tls = TlsFiles.open(PROTOCOL_NAME, this.config.tls);
    const server = createWebServer(
      tls,
      {
        headersTimeout: HANDSHAKE_TIMEOUT_MS,
        requestTimeout: HANDSHAKE_TIMEOUT_MS,
        maxHeaderSize: MAX_HANDSHAKE_BYTES,
        noDelay: true,
      },
      refusePlainHttp,
    );
    onSocket(server, port, (socket) => port.accept(socket));
    server.on('upgrade', (request, stream, head) => {
      if (port.holds(stream)) void upgrade({ request, stream, head });
    });
    server.on('clientError', answerClientError);
    const address = await listenOn(server, {
      ...this.config,
      protocol: PROTOCOL_NAME,
      scheme: tls === undefined ? 'ws' : 'wss',
    });
    tls?.watch(server, host.log);
    server.on('error', (error) => host.log.error({ err: error }, 'WebSocket server error'));
    this.server = server;
    return address;
  }

  private async accept(entrance: Entrance, { request, stream, head }: Handshake): Promise<void> {
    const { network, port, origins } = entrance;
    // Before ws adds a listener: without one a reset connection would crash the process.
    stream.on('error', destroyStream);
    const connection = this.connections.create(network.addressOf(request));
    // A socket of another server counts from here on.
    if (!port.holds(stream) && !port.claim(stream, connection.remoteAddress)) {
      stream.end(NO_ROOM);
      return;
    }
    const refusal = await network.refusalOfHandshake(request, origins);
    if (refusal !== undefined) {
      refuseUpgrade(stream, connection, refusal);
      return;
    }
    // The handshakes of a thousand clients that come back at the same time take 100 ms.
    inTurn(connection.remoteAddress, 0, () => this.open(entrance, { request, stream, head }, connection));
  }

  private open(
    { sockets, context, port }: Entrance,
    { request, stream, head }: Handshake,
    connection: Connection,
  ): void {
    const { connections } = this;
    const isFull = connections.isStopping || connections.size >= this.config.maxConnections;
    if (isFull || !port.claim(stream, connection.remoteAddress)) {
      stream.end(NO_ROOM);
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      stream.off('error', destroyStream);
      const nowMs = performance.now();
      const client = new ClientConnection(connection, socket, stream as Socket, context, nowMs);
      connections.add(client);
      context.host.connectionOpened(connection);
    });
  }

  private remove(client: ClientConnection, host: ProtocolHost): void {
    if (!this.connections.remove(client)) return;
    this.channels.leaveAll(client);
    host.connectionClosed(client.connection, client.cause);
  }
}

/** Shared by all connections: a closure would hold the request of each handshake for as long as its stream exists. */
function destroyStream(this: Duplex): void {
  this.destroy();
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

/** One connection carries all messages. */
function describeChannels(scheme: 'ws' | 'wss'): ProtocolChannels {
  const summary = 'One text frame per message; `room` names the request or the channel that it belongs to.';
  const all = { key: PROTOCOL_NAME, address: '/', summary };
  return { scheme, requests: all, responses: all, notifications: all, heartbeats: all };
}
