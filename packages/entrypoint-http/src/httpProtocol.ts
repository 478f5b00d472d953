import { createServer, type Server } from 'node:http';
import { listenOn, type Protocol, type ProtocolAddress, type ProtocolHost } from '@millrace/kernel';
import type { HttpConfig } from './config.js';
import { createHttpHandler } from './createHttpHandler.js';
import { PROTOCOL_NAME } from './PROTOCOL_NAME.js';
import { answerClientError } from './server/answerClientError.js';
import { SocketTable } from './server/SocketTable.js';

// Node looks for slow senders at this interval: it adds to the timeouts.
const TIMEOUT_CHECK_INTERVAL_MS = 2_000;

/** The HTTP entrypoint (decisions.md section 2). Listens from `start` to `stop`. */
export function httpProtocol(options: HttpConfig): Protocol {
  return new HttpProtocol(options);
}

class HttpProtocol implements Protocol {
  readonly name = PROTOCOL_NAME;
  private readonly sockets = new SocketTable();
  private server: Server | undefined;
  private isStopping = false;

  constructor(private readonly options: HttpConfig) {}

  async start(host: ProtocolHost): Promise<ProtocolAddress> {
    const { options, sockets } = this;
    const handle = createHttpHandler(host, options, { isStopping: () => this.isStopping });
    const server = createServer({
      headersTimeout: Math.min(options.headersTimeoutMs, options.requestTimeoutMs),
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: options.keepAliveTimeoutMs,
      maxHeaderSize: options.maxHeaderSize,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
      // The handler answers these with an envelope.
      requireHostHeader: false,
      noDelay: true,
    });
    // Node would drop headers past the 2,000th unseen; their size is bounded already.
    server.maxHeadersCount = 0;
    const listener: typeof handle = (request, response) => {
      sockets.begin(request, response);
      handle(request, response);
    };
    server.on('connection', (socket) => sockets.open(socket));
    server.on('request', listener);
    server.on('checkContinue', listener);
    server.on('checkExpectation', listener);
    const context = { host, sockets, maxHeaderSize: options.maxHeaderSize };
    server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      answerClientError(context, error, socket as Parameters<typeof answerClientError>[2]),
    );
    const address = await listenOn(server, { ...options, protocol: PROTOCOL_NAME, scheme: 'http' });
    server.on('error', (error) => host.log.error({ err: error }, 'HTTP server error'));
    this.server = server;
    return address;
  }

  /**
   * Accepts nothing more, lets running exchanges answer and closes their connections; the others are closed at once.
   * What still runs after `drainTimeoutMs`, or at a second call, is cut off.
   */
  async stop(): Promise<void> {
    const { server, sockets } = this;
    if (server === undefined) return;
    if (this.isStopping) {
      sockets.destroyAll();
      return sockets.whenEmpty();
    }
    this.isStopping = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    sockets.closeIdle();
    const timer = setTimeout(() => sockets.destroyAll(), this.options.drainTimeoutMs);
    await Promise.all([closed, sockets.whenEmpty()]);
    clearTimeout(timer);
  }
}
