import { createServer, type Server, type Socket } from 'node:net';
import { apiErrors, type Notifier, type Protocol, type ProtocolAddress, type ProtocolHost } from '@millrace/kernel';
import { ChannelTable, listenOn } from '@millrace/plugin-kit';
import { LineConnection } from './LineConnection.js';

/** The values of section `lines`. */
export interface LinesConfig {
  readonly host: string;
  readonly port: number;
  readonly maxLineBytes: number;
  readonly maxWaitingBytes: number;
}

/** An entrypoint: turns lines into requests and responses into lines. Users, rights and documents are the kernel's. */
export class LinesProtocol implements Protocol, Notifier {
  readonly name = 'lines';
  readonly notifier = this;
  private readonly connections = new Map<string, LineConnection>();
  private readonly channels = new ChannelTable<Buffer>();
  private readonly config: LinesConfig;
  private server: Server | undefined;
  private connectionNumber = 0;

  constructor(config: LinesConfig) {
    this.config = config;
  }

  async start(host: ProtocolHost): Promise<ProtocolAddress> {
    const server = createServer({ noDelay: true }, (socket) => this.accept(socket, host));
    this.server = server;
    const options = { ...this.config, protocol: this.name, scheme: 'tcp' };
    const address = await listenOn(server, options);
    server.on('error', (error) => host.log.error({ err: error }, 'lines server error'));
    return address;
  }

  /** Stops accepting, lets running requests answer, closes. */
  async stop(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of this.connections.values()) connection.finish();
    await closed;
  }

  join(connectionId: string, channel: string): void {
    const connection = this.connections.get(connectionId);
    if (connection !== undefined) this.channels.join(connection, channel);
  }

  leave(connectionId: string, channel: string): void {
    const connection = this.connections.get(connectionId);
    if (connection !== undefined) this.channels.leave(connection, channel);
  }

  publish(channel: string, envelope: string, exceptConnectionId?: string): void {
    if (!this.channels.hasListeners(channel)) return;
    this.channels.publish(channel, toLine(envelope, channel), exceptConnectionId);
  }

  notify(connectionId: string, channel: string | null, envelope: string): void {
    const connection = this.connections.get(connectionId);
    if (connection !== undefined) this.channels.notify(connection, toLine(envelope, channel));
  }

  private accept(socket: Socket, host: ProtocolHost): void {
    const id = `${this.name}-${++this.connectionNumber}`;
    const connection = { id, protocol: this.name, remoteAddress: socket.remoteAddress ?? '' };
    const { maxLineBytes, maxWaitingBytes } = this.config;
    const tooLong = apiErrors.body_too_large({ maxBytes: maxLineBytes });
    const parts = { connection, socket, host, tooLong, maxLineBytes, maxWaitingBytes };
    const client = new LineConnection(parts);
    this.connections.set(id, client);
    host.connectionOpened(connection);
    socket.once('close', () => {
      this.connections.delete(id);
      this.channels.leaveAll(client);
      host.connectionClosed(connection);
    });
  }
}

/** A notification carries the channel it came on as `room`. */
function toLine(envelope: string, channel: string | null): Buffer {
  const room = channel === null ? '' : `,"room":${JSON.stringify(channel)}`;
  return Buffer.from(`${envelope.slice(0, -1)}${room}}\n`);
}
