import {
  definePlugin,
  type Connection,
  type JsonObject,
  type Notifier,
  type Protocol,
  type ProtocolAddress,
  type ProtocolHost,
  type RequestFields,
  type ResponseMessage,
} from '@millrace/kernel';

/** What a client received, in order: `channel` is null for what came where direct responses go. */
export interface Received {
  readonly channel: string | null;
  readonly message: JsonObject & { readonly result: JsonObject };
}

/** A client of the protocol in memory. */
export class MemoryClient {
  readonly received: Received[] = [];
  readonly channels = new Set<string>();

  constructor(
    readonly connection: Connection,
    private readonly host: ProtocolHost,
    private readonly onClose: () => void,
  ) {}

  async request(fields: RequestFields): Promise<ResponseMessage> {
    const response = await this.host.dispatch(this.host.createRequest(fields, this.connection));
    return response.message;
  }

  /** Messages of a channel, short: `create in a`. */
  heard(channel: string): readonly string[] {
    return this.received
      .filter((each) => each.channel === channel)
      .map(({ message: { action, scope, state, result } }) =>
        [action, state === 'pending' ? state : scope, result._id].filter((part) => typeof part === 'string').join(' '),
      );
  }

  close(): void {
    this.onClose();
  }
}

/**
 * A lasting protocol without sockets, for tests of what lies behind the protocols: the real ones have separate tests
 * in test/wire.
 */
export class MemoryProtocol implements Protocol, Notifier {
  readonly name = 'memory';
  readonly notifier = this;
  /** Adds the protocol to a server. */
  readonly plugin = definePlugin({
    name: 'memory-protocol',
    kernel: '*',
    setup: (host) => host.protocol(this),
  });
  private readonly clients = new Map<string, MemoryClient>();
  private host: ProtocolHost | undefined;
  private count = 0;

  async start(host: ProtocolHost): Promise<ProtocolAddress> {
    this.host = host;
    return { host: '', port: 0, url: 'memory:' };
  }

  async stop(): Promise<void> {
    for (const client of this.clients.values()) client.close();
  }

  connect(remoteAddress = '127.0.0.1'): MemoryClient {
    const { host } = this;
    if (host === undefined) throw new Error('not started');
    const id = `memory-${++this.count}`;
    const connection = { id, protocol: this.name, remoteAddress };
    const client = new MemoryClient(connection, host, () => {
      if (this.clients.delete(id)) host.connectionClosed(connection);
    });
    this.clients.set(id, client);
    host.connectionOpened(connection);
    return client;
  }

  join(connectionId: string, channel: string): void {
    this.clients.get(connectionId)?.channels.add(channel);
  }

  leave(connectionId: string, channel: string): void {
    this.clients.get(connectionId)?.channels.delete(channel);
  }

  publish(channel: string, envelope: string, exceptConnectionId?: string): void {
    for (const client of this.clients.values()) {
      if (!client.channels.has(channel) || client.connection.id === exceptConnectionId) continue;
      this.notify(client.connection.id, channel, envelope);
    }
  }

  notify(connectionId: string, channel: string | null, envelope: string): void {
    const message = JSON.parse(envelope) as Received['message'];
    this.clients.get(connectionId)?.received.push({ channel, message });
  }
}
