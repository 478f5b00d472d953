import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import {
  NetworkGuard,
  type Notifier,
  type Protocol,
  type ProtocolAddress,
  type ProtocolChannels,
  type ProtocolHost,
} from '@millrace/kernel';
import { ChannelTable, ConnectionSet, isTls, listenOn, onSocket, TlsFiles } from '@millrace/plugin-kit';
import { ClientIds } from './ClientIds.js';
import { ClientSession, type Outgoing, type SessionContext } from './ClientSession.js';
import type { MqttConfig } from './config.js';
import { MqttBroker } from './MqttBroker.js';
import { MqttNotifier } from './MqttNotifier.js';

/** Name of this protocol in statistics and in `Connection.protocol`. */
const PROTOCOL_NAME = 'mqtt';

// Detects vanished peers even if a client requests a long keep-alive.
const TCP_KEEP_ALIVE_MS = 60_000;
// How long a client may take to close its side of the connection.
const CLOSE_TIMEOUT_MS = 500;

/** The MQTT entrypoint. Listens from `start` to `stop`, unless it is switched off (`mqtt.listen`). */
export class MqttProtocol implements Protocol {
  readonly name = PROTOCOL_NAME;
  readonly describeChannels = (serviceName: string): ProtocolChannels => ({
    ...describeChannels(serviceName),
    // As AsyncAPI names them.
    scheme: isTls(this.config.tls) ? 'secure-mqtt' : 'mqtt',
  });
  readonly notifier: Notifier;
  private readonly sessions = new ConnectionSet<ClientSession>(PROTOCOL_NAME);
  private readonly table = new ChannelTable<Outgoing>();
  private server: Server | undefined;
  private broker: Promise<MqttBroker> | undefined;

  constructor(private readonly config: MqttConfig) {
    this.notifier = new MqttNotifier(this.sessions, this.table);
  }

  async start(host: ProtocolHost): Promise<ProtocolAddress | null> {
    const { config } = this;
    if (!config.listen) return null;
    const clientIds = new ClientIds(host.nodes);
    const context: SessionContext = {
      host,
      config,
      afterPublished: (session, mark) => this.table.notify(session, mark),
      onClosed: (session) => this.remove(session, clientIds),
    };
    const tls = TlsFiles.open(PROTOCOL_NAME, config.tls);
    const options = {
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
    };
    const server: Server = tls === undefined ? createServer(options) : createTlsServer({ ...options, ...tls.options });
    const network = host.network ?? new NetworkGuard();
    const port = network.openPort({ protocol: PROTOCOL_NAME, ...config, refusal: '' });
    onSocket(server, port, (socket) => {
      let session: ClientSession | undefined;
      // A client without CONNECT loses nothing if it is closed.
      const isTaken = port.accept(socket, () => (session?.isKnown === true ? 'lasting' : 'idle'));
      if (isTaken) session = this.accept(socket, clientIds, context);
    });
    const scheme = tls === undefined ? 'mqtt' : 'mqtts';
    const address = await listenOn(server, { ...config, protocol: PROTOCOL_NAME, scheme });
    tls?.watch(server, host.log);
    server.on('error', (error) => host.log.error({ err: error }, 'MQTT server error'));
    this.server = server;
    clientIds.start();
    this.sessions.watch(config.maxStallMs);
    return address;
  }

  /**
   * Stops accepting connections and reading requests, waits for running requests and closes all connections. Requests
   * that still run after `drainTimeoutMs` are not awaited; a second call closes all sockets at once.
   */
  async stop(): Promise<void> {
    const { server, sessions } = this;
    if (server === undefined) return;
    const close = () => sessions.each((session) => session.close());
    if (sessions.isStopping) {
      close();
      return sessions.whenEmpty();
    }
    server.close();
    this.table.flush();
    const { drainTimeoutMs } = this.config;
    await sessions.stop([
      [drainTimeoutMs, () => sessions.each((session) => session.end())],
      [drainTimeoutMs + CLOSE_TIMEOUT_MS, close],
    ]);
    await (await this.broker?.catch(() => undefined))?.stop();
  }

  /** Ends the connections whose tokens were revoked. @param userId of their user; null: of any */
  expectRevocations(userId: string | null): void {
    this.sessions.each((session) => {
      if (userId === null || session.userId === userId) session.expectRevocation();
    });
  }

  private accept(socket: Socket, clientIds: ClientIds, context: SessionContext): ClientSession | undefined {
    socket.on('error', (error) => {
      context.host.log.debug({ err: error }, 'MQTT socket broke');
      socket.destroy();
    });
    if (this.sessions.isStopping) {
      socket.destroy();
      return undefined;
    }
    const connection = this.sessions.create(socket.remoteAddress ?? '');
    const session = new ClientSession(connection, socket, context);
    this.sessions.add(session);
    this.broker ??= this.openBroker(clientIds, context);
    // Meanwhile the stream of the session reads as much as a broker that is slow would let it.
    this.broker.then(
      (broker) => {
        if (!session.isGone) broker.handle(session);
      },
      () => session.close(),
    );
    return session;
  }

  private openBroker(clientIds: ClientIds, { host, config }: SessionContext): Promise<MqttBroker> {
    const opening = MqttBroker.open(host, config, clientIds);
    opening.catch((error: unknown) => {
      host.log.error({ err: error }, 'the MQTT protocol refuses clients');
    });
    return opening;
  }

  private remove(session: ClientSession, clientIds: ClientIds): void {
    this.sessions.remove(session);
    this.table.leaveAll(session);
    clientIds.release(session);
  }
}

/** Requests are published to one topic; each client and each channel has a separate topic. */
function describeChannels(serviceName: string): ProtocolChannels {
  return {
    scheme: 'mqtt',
    requests: { key: 'mqttRequests', address: serviceName, summary: 'The topic of requests.' },
    responses: {
      key: 'mqttResponses',
      address: 'mqtt.{clientId}',
      summary: 'The topic of direct responses.',
      parameters: { clientId: { description: 'The client id of the MQTT connection.' } },
    },
    notifications: {
      key: 'mqttNotifications',
      address: '{channel}',
      summary: 'A topic named by the channel.',
      parameters: { channel: { description: 'From the response to realtime.subscribe.' } },
    },
  };
}
