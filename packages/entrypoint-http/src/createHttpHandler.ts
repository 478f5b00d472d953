import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouterContext } from '@koa/router';
import {
  MillraceError,
  NetworkGuard,
  type ActionDefinition,
  type ProtocolHost,
  type Route,
} from '@millrace/kernel';
import Koa from 'koa';
import type { HttpConfig } from './config.js';
import { HttpExchange, type ExchangeContext } from './HttpExchange.js';
import { answerProbe } from './pages/answerProbe.js';
import { BrowserPages } from './pages/BrowserPages.js';
import { parseByteSize } from './request/parseByteSize.js';
import { parseTarget, type RequestTarget } from './request/parseTarget.js';
import { refusedHead } from './request/refusedHead.js';
import { CorsPolicy } from './response/CorsPolicy.js';
import { DiscardPace } from './response/DiscardPace.js';
import { RouteHints } from './routing/RouteHints.js';
import { createRouteTrie, declareRoutes } from './routing/declareRoutes.js';

/** The configuration that the handler uses. */
export type HttpHandlerConfig = Pick<HttpConfig, 'maxBodySize' | 'cors' | 'sendTimeoutMs'>;

/** Options set by the server that contains the handler. */
export interface HttpHandlerOptions {
  /** True once connections should be closed after their current answer. Default: never. */
  readonly isStopping?: () => boolean;
}

/**
 * A listener for the events `request` and `checkContinue` of a `node:http` server, or for requests mounted in another
 * application.
 */
export type HttpHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  /** In another application: path and query string below the mount. That application may already have read the body. */
  mountedUrl?: string,
) => void;

/** The data that the dispatching middleware passes to a route's handler, as the state of the koa context. */
interface Routed {
  readonly exchange: HttpExchange;
  readonly target: RequestTarget;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Runs any action, also those without a route (PROTO-34). */
const MESSAGE_PATH = '/_message/:controller/:action';
const DEFAULT_MAX_BODY_BYTES = 1_048_576;

/**
 * Creates the request listener: routes from `host.actions`, one koa middleware that finds the route in a trie, and an
 * envelope for every answer, including failures. Opens nothing.
 * @throws core.start_failed for an invalid route
 */
export function createHttpHandler(
  host: ProtocolHost,
  config: HttpHandlerConfig,
  options: HttpHandlerOptions = {},
): HttpHandler {
  let exchangeCount = 0;
  const context: ExchangeContext = {
    host,
    network: host.network ?? new NetworkGuard(),
    cors: new CorsPolicy(config.cors.origin),
    maxBodyBytes: parseByteSize(config.maxBodySize) ?? DEFAULT_MAX_BODY_BYTES,
    sendTimeoutMs: config.sendTimeoutMs,
    isStopping: options.isStopping ?? (() => false),
    nextExchangeNumber: () => ++exchangeCount,
    pace: new DiscardPace(),
  };
  const mountedUrls = new WeakMap<IncomingMessage, string>();
  const trie = createRouteTrie(
    declareRoutes(host.actions, (action, route) => routeHandler(host, action, route)),
    host.actions.reservedPaths,
  );
  trie.add(['POST'], MESSAGE_PATH, runMessage);
  const pages = new BrowserPages(host.serviceName, host.actions);
  const hints = new RouteHints(host.actions);
  const app = new Koa();
  // Disconnects of clients arrive here, as socket errors; exceptions of Millrace's code are answered by the exchange.
  app.on('error', (error: unknown) => host.log.debug({ err: error }, 'HTTP exchange ended early'));
  app.use((koa) => {
    koa.respond = false;
    const { req, res } = koa;
    const mountedUrl = mountedUrls.get(req);
    const exchange = new HttpExchange(context, req, res, mountedUrl !== undefined);
    return exchange.guard(async () => {
      const refusal = context.network.refusalOf(req);
      const foreign = refusal === undefined ? undefined : await refusal;
      if (foreign !== undefined) return exchange.refuseOrigin(foreign);
      if (req.method === 'OPTIONS') return exchange.preflight();
      const fault = refusedHead(req);
      if (fault !== undefined) return exchange.refuse(fault);
      const target = parseTarget(mountedUrl ?? req.url ?? '');
      if (target instanceof MillraceError) return exchange.refuse(target);
      const page = pages.find(req, target);
      if (page !== undefined) return exchange.give(page);
      const match = trie.match(req.method ?? '', target.segments);
      if (match.kind !== 'found') return exchange.refuseRoute(target, match.allowed, hints);
      const { names, values, handler } = match;
      const parameters = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
      koa.state = { exchange, target, parameters } satisfies Routed;
      await handler(koa as unknown as RouterContext, () => Promise.resolve());
    });
  });
  const callback = app.callback();
  const probed = { readiness: host.readiness, isStopping: context.isStopping };
  return (request, response, mountedUrl) => {
    if (answerProbe(request, response, mountedUrl ?? request.url ?? '', probed)) return;
    if (mountedUrl !== undefined) mountedUrls.set(request, mountedUrl);
    void callback(request, response);
  };
}

function runMessage(koa: RouterContext): Promise<void> {
  const { exchange, target, parameters } = koa.state as Routed;
  return exchange.runMessage(target, parameters);
}

function routeHandler({ httpStreams }: ProtocolHost, action: ActionDefinition, route: Route) {
  const isMemoryStore = route.path === '/ms' || route.path.startsWith('/ms/');
  // The memory store echoes the controller name that the caller used: over HTTP that is `ms` (MEM-1).
  const controller = isMemoryStore ? 'ms' : action.controller;
  const streams = route.stream === undefined ? undefined : httpStreams?.get(route.stream.protocol);
  return (koa: RouterContext): Promise<void> => {
    const { exchange, target, parameters } = koa.state as Routed;
    return exchange.run(target, { action, controller, route: route.path, parameters, streams });
  };
}
