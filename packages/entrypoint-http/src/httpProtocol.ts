import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  NetworkGuard,
  type MountedProtocol,
  type Protocol,
  type ProtocolAddress,
  type ProtocolHost,
} from '@millrace/kernel';
import { createWebServer, listenOn, onSocket, TlsFiles } from '@millrace/plugin-kit';
import type { HttpConfig } from './config.js';
import { createHttpHandler, type HttpHandler } from './createHttpHandler.js';
import { createMiddleware } from './createMiddleware.js';
import { PROTOCOL_NAME } from './PROTOCOL_NAME.js';
import { isProbe } from './pages/answerProbe.js';
import { answerClientError } from './server/answerClientError.js';
import { MountedExchanges } from './server/MountedExchanges.js';
import { SocketTable } from './server/SocketTable.js';
import { takeUpgrades } from './server/takeUpgrades.js';

// Interval at which Node checks for slow senders: it adds to the timeouts.
const TIMEOUT_CHECK_INTERVAL_MS = 2_000;
/** Connections past the limit: a server whose port is full is alive all the same. */
const RESERVED_FOR_PROBES = 16;

/** The HTTP entrypoint. Listens from `start` to `stop`, or is mounted in another application. */
export function httpProtocol(options: HttpConfig): Protocol {
  return new HttpProtocol(options);
}

class HttpProtocol implements Protocol {
  readonly name = PROTOCOL_NAME;
  private readonly sockets = new SocketTable({ isProbe });
  readonly mounted: MountedProtocol = {
    request: (request, response, url) => {
      this.mountedExchanges.begin(response);
      this.handle?.(request, response, url);
    },
  };
  private readonly mountedExchanges = new MountedExchanges();
  private handle: HttpHandler | undefined;
  private server: Server | undefined;
  private isStopping = false;

  constructor(private readonly options: HttpConfig) {}

  async start(host: ProtocolHost): Promise<ProtocolAddress | null> {
    const isStopping = () => this.isStopping;
    const handler = createHttpHandler(host, this.options, { isStopping });
    const handle = await createMiddleware(host.httpMiddleware ?? [], host.log, handler);
    this.handle = handle;
    return this.options.listen ? this.listen(host, handle) : null;
  }

  /**
   * Accepts nothing more, lets running exchanges finish and closes their connections; idle ones are closed at once.
   * Exchanges that still run after `drainTimeoutMs`, or at a second call, are cut off.
   */
  async stop(): Promise<void> {
    const { server, sockets, mountedExchanges } = this;
    const cut = () => {
      sockets.destroyAll();
      mountedExchanges.destroyAll();
    };
    const whenEmpty = () => Promise.all([sockets.whenEmpty(), mountedExchanges.whenEmpty()]);
    if (this.isStopping) {
      cut();
      await whenEmpty();
      return;
    }
    this.isStopping = true;
    const closed = new Promise<void>((resolve) => {
      if (server === undefined) resolve();
      else server.close(() => resolve());
    });
    sockets.closeIdle();
    const timer = setTimeout(cut, this.options.drainTimeoutMs);
    await Promise.all([closed, whenEmpty()]);
    clearTimeout(timer);
  }

  private async listen(host: ProtocolHost, handle: HttpHandler): Promise<ProtocolAddress> {
    const { options, sockets } = this;
    const tls = TlsFiles.open(PROTOCOL_NAME, options.tls);
    const server = createWebServer(tls, {
      headersTimeout: Math.min(options.headersTimeoutMs, options.requestTimeoutMs),
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: options.keepAliveTimeoutMs,
      maxHeaderSize: options.maxHeaderSize,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      // The handler answers these requests with an envelope.
      requireHostHeader: false,
      noDelay: true,
    });
    // Node would silently drop headers beyond the 2,000th; their size is already limited.
    server.maxHeadersCount = 0;
    const { maxConnections, maxConnectionsPerAddress } = options;
    const network = host.network ?? new NetworkGuard();
    const port = network.openPort({
      protocol: PROTOCOL_NAME,
      maxConnections,
      maxConnectionsPerAddress,
      reserved: RESERVED_FOR_PROBES,
    });
    const listener = (request: IncomingMessage, response: ServerResponse) => sockets.begin(request, response, handle);
    onSocket(server, port, (socket) => sockets.open(socket, port));
    server.on('request', listener);
    server.on('checkContinue', listener);
    server.on('checkExpectation', listener);
    const context = { host, sockets, maxHeaderSize: options.maxHeaderSize };
    const { upgrades } = host;
    if (upgrades !== undefined && upgrades.size > 0) takeUpgrades({ server, sockets, port, upgrades });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      answerClientError(context, error, socket as Parameters<typeof answerClientError>[2]),
    );
    const scheme = tls === undefined ? 'http' : 'https';
    const address = await listenOn(server, { ...options, protocol: PROTOCOL_NAME, scheme });
    tls?.watch(server, host.log);
    server.on('error', (error) => host.log.error({ err: error }, 'HTTP server error'));
    this.server = server;
    return address;
  }
}
