import { randomUUID } from 'node:crypto';
import type { DependencyContainer } from 'tsyringe';
import {
  apiErrors,
  coreErrors,
  createRequest,
  INTERNAL_INDEX,
  isLoopback,
  LifecycleRunner,
  MillraceError,
  Request,
  STORAGE_ENGINE,
  type ActionTable,
  type ByteBudget,
  type Connection,
  type Dispatcher,
  type Hooks,
  type HttpMiddleware,
  type HttpStreams,
  type Lifecycle,
  type ListeningAddress,
  type Logger,
  type MountedProtocol,
  type NetworkGuard,
  type NodeLink,
  type Protocol,
  type ProtocolAddress,
  type ProtocolHost,
  type RequestFields,
  type ResponseMessage,
  type SentCursors,
  type StaticFiles,
  type StorageEngine,
  type User,
} from '@millrace/kernel';
import type { NotificationListener, ProgramSubscriptions, Subscription } from './ProgramSubscriptions.js';
import type { ServerReadiness } from './ServerReadiness.js';
import type { ServerConfig } from './config.js';

/** Parts of a server. */
export interface ServerParts {
  readonly config: ServerConfig;
  /** In start order, with their names for the log. */
  readonly parts: readonly { readonly name: string; readonly part: Lifecycle }[];
  readonly protocols: readonly Protocol[];
  readonly middleware: readonly HttpMiddleware[];
  readonly files: readonly StaticFiles[];
  readonly hooks: Hooks;
  readonly actions: ActionTable;
  readonly dispatcher: Dispatcher;
  readonly budget: ByteBudget;
  readonly log: Logger;
  readonly container: DependencyContainer;
  readonly nodes: NodeLink;
  readonly sentCursors: SentCursors;
  readonly network: NetworkGuard;
  readonly subscriptions: ProgramSubscriptions;
  readonly readiness: ServerReadiness;
  /** Runs once all components but the entrypoints have started; a rejection aborts the start. */
  readonly beforeListening: () => Promise<void>;
}

/** A composed server: starts its components in order and stops them in reverse order. */
export class AssembledServer {
  readonly actions: ActionTable;
  readonly protocols: readonly Protocol[];
  private readonly runner: LifecycleRunner;
  private readonly httpStreams: ReadonlyMap<string, HttpStreams>;
  private readonly upgrades: ReadonlyMap<string, MountedProtocol>;
  private readonly addresses: ListeningAddress[] = [];

  constructor(private readonly parts: ServerParts) {
    const { config, dispatcher, log } = parts;
    this.actions = parts.actions;
    this.protocols = parts.protocols;
    this.httpStreams = new Map(
      parts.protocols.flatMap(({ name, httpStreams }) =>
        httpStreams === undefined ? [] : [[name, httpStreams] as const],
      ),
    );
    this.upgrades = new Map(
      // The first one gets a path that several name.
      parts.protocols
        .flatMap(({ mounted }) => (mounted?.upgradePath === undefined ? [] : [[mounted.upgradePath, mounted] as const]))
        .reverse(),
    );
    this.runner = new LifecycleRunner(log, config.startTimeoutMs, config.stopTimeoutMs);
    for (const { name, part } of parts.parts) this.runner.add(name, part);
    this.runner.add('dispatcher', { start: async () => undefined, stop: () => dispatcher.drain() });
    this.runner.add('exposure check', {
      start: parts.beforeListening,
      stop: async () => undefined,
    });
    for (const protocol of parts.protocols) this.addProtocol(protocol);
  }

  get internalIndex(): string {
    return this.parts.container.resolve(INTERNAL_INDEX);
  }

  get storage(): StorageEngine {
    return this.parts.container.resolve(STORAGE_ENGINE);
  }

  /** Resolves with the addresses once every entrypoint is listening. */
  async start(): Promise<readonly ListeningAddress[]> {
    await this.runner.start();
    this.warnOfPlainPorts();
    this.parts.readiness.started();
    this.parts.hooks.emit('server.started', {});
    return this.addresses;
  }

  async stop(): Promise<void> {
    this.parts.readiness.stopping();
    this.parts.hooks.emit('server.stopping', {});
    this.parts.dispatcher.refuseWaiting();
    await this.runner.stop();
    this.parts.container.clearInstances();
  }

  /** Executes a request of the embedding program; never rejects. */
  async execute(fields: RequestFields, options: { readonly user?: User }): Promise<ResponseMessage> {
    const request = createRequest(fields, programConnection(options.user));
    return (await this.parts.dispatcher.dispatch(request)).message;
  }

  /** @throws MillraceError if `realtime.subscribe` fails */
  async subscribe(
    fields: RequestFields,
    listener: NotificationListener,
    options: { readonly user?: User },
  ): Promise<Subscription> {
    const { subscriptions, dispatcher } = this.parts;
    const { connection, close } = subscriptions.open(listener, options.user);
    const message = { ...fields, controller: 'realtime', action: 'subscribe' };
    const { error, result } = (await dispatcher.dispatch(createRequest(message, connection))).message;
    if (error === null) {
      const { roomId, channel } = result as { readonly roomId: string; readonly channel: string };
      return { roomId, channel, unsubscribe: close };
    }
    close();
    const { id, status, message: text, details } = error;
    const sentence = typeof text === 'string' ? text : JSON.stringify(text);
    throw new MillraceError(id, status, sentence, details === undefined ? {} : { details });
  }

  /** TLS on one port doesn't encrypt the others. */
  private warnOfPlainPorts(): void {
    const isSecure = ({ url }: ListeningAddress) => /^(?:https|wss|mqtts):/.test(url);
    if (!this.addresses.some(isSecure)) return;
    for (const address of this.addresses) {
      const { protocol, host } = address;
      if (isSecure(address) || isLoopback(host)) continue;
      this.parts.log.warn({ protocol }, `${protocol}.tls is not set: this port is not encrypted`);
    }
  }

  private addProtocol(protocol: Protocol): void {
    const { dispatcher, actions, hooks, log, config } = this.parts;
    const host: ProtocolHost = {
      log: log.child({ protocol: protocol.name }),
      actions,
      nodes: this.parts.nodes,
      sentCursor: (connectionId) => this.parts.sentCursors.of(connectionId),
      sentCount: (connection) => this.parts.sentCursors.countOf(connection),
      network: this.parts.network,
      httpStreams: this.httpStreams,
      upgrades: this.upgrades,
      files: this.parts.files,
      httpMiddleware: this.parts.middleware,
      readiness: this.parts.readiness,
      serviceName: config.name,
      bytes: this.parts.budget,
      createRequest,
      decide: (request) => dispatcher.decide(request),
      // Never rejects, whatever a plugin does: no code would catch the rejection.
      dispatch: (request) => dispatcher.dispatch(request instanceof Request ? request : noRequest(protocol)),
      answer: (request) => dispatcher.answer(request instanceof Request ? request : noRequest(protocol)),
      connectionOpened: (connection) => hooks.emit('connection.opened', { connection }),
      connectionClosed: (connection, cause) => hooks.emit('connection.closed', { connection, cause }),
    };
    this.runner.add(`protocol ${protocol.name}`, {
      start: async () => {
        const address = await protocol.start(host);
        const listening = toListeningAddress(protocol, address);
        // Only mounted in another application.
        if (listening === null) return;
        this.addresses.push(listening);
        log.debug({ protocol: protocol.name, url: listening.url }, 'listening');
      },
      stop: () => protocol.stop(),
    });
  }
}

function noRequest({ name }: Protocol): Request {
  const problem = `protocol "${name}" has dispatched something else than what createRequest gives`;
  const connection = { id: `${name}-unknown`, protocol: name, remoteAddress: '' };
  return createRequest({}, connection, apiErrors.invalid_request({ problem }));
}

/**
 * The connection of requests made by the embedding program: it has no socket, and the program vouches for the user.
 */
function programConnection(user?: User): Connection {
  const base = { id: randomUUID(), protocol: 'program', remoteAddress: '' };
  return user === undefined ? base : { ...base, user };
}

/**
 * Validates the value returned by a protocol's start.
 * @returns null if the protocol opens no port
 * @throws core.start_failed naming the protocol whose plugin returned an invalid value
 */
function toListeningAddress({ name }: Protocol, address: ProtocolAddress | null): ListeningAddress | null {
  if (address === null) return null;
  const { url, port } = (address as Partial<ProtocolAddress> | undefined) ?? {};
  if (typeof url === 'string' && Number.isInteger(port)) return { ...address, protocol: name };
  throw coreErrors.start_failed({
    component: `protocol ${name}`,
    reason: 'its start gave no address: expected { host, port, url }, or null where it opens no port',
  });
}
