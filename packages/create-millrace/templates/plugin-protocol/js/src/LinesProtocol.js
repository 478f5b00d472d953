import { createServer } from 'node:net';
import { apiErrors } from '@millrace/kernel';
import { ChannelTable, listenOn } from '@millrace/plugin-kit';
import { LineConnection } from './LineConnection.js';

/** An entrypoint: turns lines into requests and responses into lines. Users, rights and documents are the kernel's. */
export class LinesProtocol {
  name = 'lines';
  notifier = this;
  connections = new Map();
  channels = new ChannelTable();
  config;
  server;
  connectionNumber = 0;

  constructor(config) {
    this.config = config;
  }

  async start(host) {
    const server = createServer({ noDelay: true }, (socket) => this.accept(socket, host));
    this.server = server;
    const options = { ...this.config, protocol: this.name, scheme: 'tcp' };
    const address = await listenOn(server, options);
    server.on('error', (error) => host.log.error({ err: error }, 'lines server error'));
    return address;
  }

  /** Stops accepting, lets running requests answer, closes. */
  async stop() {
    const { server } = this;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(() => resolve()));
    for (const connection of this.connections.values()) connection.finish();
    await closed;
  }

  join(connectionId, channel) {
    const connection = this.connections.get(connectionId);
    if (connection !== undefined) this.channels.join(connection, channel);
  }

  leave(connectionId, channel) {
    const connection = this.connections.get(connectionId);
    if (connection !== undefined) this.channels.leave(connection, channel);
  }

  publish(channel, envelope, exceptConnectionId) {
    if (!this.channels.hasListeners(channel)) return;
    this.channels.publish(channel, toLine(envelope, channel), exceptConnectionId);
  }

  notify(connectionId, channel, envelope) {
    const connection = this.connections.get(connectionId);
    if (connection !== undefined) this.channels.notify(connection, toLine(envelope, channel));
  }

  accept(socket, host) {
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
function toLine(envelope, channel) {
  const room = channel === null ? '' : `,"room":${JSON.stringify(channel)}`;
  return Buffer.from(`${envelope.slice(0, -1)}${room}}\n`);
}
