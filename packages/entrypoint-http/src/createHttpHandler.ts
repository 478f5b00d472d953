import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  MillraceError,
  NetworkGuard,
  andThen,
  type ActionDefinition,
  isThenable,
  type MaybePromise,
  type ProtocolHost,
  type Route,
  type StaticFiles,
} from '@millrace/kernel';
import type { HttpConfig } from './config.js';
import { HttpExchange, type ExchangeContext, type RoutedAction } from './HttpExchange.js';
import { answerProbe } from './pages/answerProbe.js';
import { BrowserPages } from './pages/BrowserPages.js';
import { StaticFolder } from './pages/StaticFolder.js';
import { parseByteSize } from './request/parseByteSize.js';
import { parseTarget, type RequestTarget } from './request/parseTarget.js';
import { refusedHead } from './request/refusedHead.js';
import { CorsPolicy } from './response/CorsPolicy.js';
import { DiscardPace } from './response/DiscardPace.js';
import { RouteHints } from './routing/RouteHints.js';
import { declareRoutes } from './routing/declareRoutes.js';

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

/** Runs any action, also those without a route (PROTO-34). */
const MESSAGE_PATH = '/_message/:controller/:action';
const MESSAGE = Symbol('message');
/** Methods that get files of a folder. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const DEFAULT_MAX_BODY_BYTES = 1_048_576;

/**
 * Creates the request listener: routes from `host.actions`, found in a trie, and an envelope for every answer, including
 * failures. Opens nothing.
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
  const trie = declareRoutes<RoutedAction | typeof MESSAGE>(host.actions, (action, route) =>
    routedAction(host, action, route),
  );
  trie.add(['POST'], MESSAGE_PATH, MESSAGE);
  const pages = new BrowserPages(host.serviceName, host.actions, host.files);
  const folders = toFolders(host.files, context.network);
  const hints = new RouteHints(host.actions);

  const handle = (exchange: HttpExchange, request: IncomingMessage, url: string): MaybePromise<void> => {
    if (request.method === 'OPTIONS') return exchange.preflight();
    const fault = refusedHead(request);
    if (fault !== undefined) return exchange.refuse(fault);
    const target = parseTarget(url);
    if (target instanceof MillraceError) return exchange.refuse(target);
    const page = pages.find(request, target);
    if (page !== undefined) return exchange.give(page);
    const folder = folders?.get(target.segments[0] ?? '');
    if (folder === undefined || !READS.has(request.method ?? '')) return run(exchange, request, target);
    return andThen(folder.find(request, target.segments), (found) => {
      if (found === undefined) return run(exchange, request, target);
      return found instanceof MillraceError ? exchange.refuse(found) : exchange.give(found);
    });
  };
  const run = (exchange: HttpExchange, request: IncomingMessage, target: RequestTarget): MaybePromise<void> => {
    const match = trie.match(request.method ?? '', target.segments);
    if (match.kind !== 'found') return exchange.refuseRoute(target, match.allowed, hints);
    if (match.handler === MESSAGE) return exchange.runMessage(target, match);
    return exchange.run(target, match, match.handler);
  };
  const admit = (exchange: HttpExchange, request: IncomingMessage, url: string): MaybePromise<void> => {
    const admitted = (foreign: MillraceError | undefined) =>
      foreign === undefined ? handle(exchange, request, url) : exchange.refuseOrigin(foreign);
    const refusal = context.network.refusalOf(request);
    return isThenable(refusal) ? refusal.then(admitted) : admitted(refusal);
  };
  const probed = { readiness: host.readiness, isStopping: context.isStopping };
  return (request, response, mountedUrl) => {
    const url = mountedUrl ?? request.url ?? '';
    if (answerProbe(request, response, url, probed)) return;
    const exchange = new HttpExchange(context, request, response, mountedUrl !== undefined);
    exchange.guard(() => admit(exchange, request, url));
  };
}

/** By the first segment of their paths; undefined if there are none. */
function toFolders(files: readonly StaticFiles[] = [], network: NetworkGuard): Map<string, StaticFolder> | undefined {
  if (files.length === 0) return undefined;
  return new Map(files.map((declared) => [declared.path.slice(1), new StaticFolder(declared, network)]));
}

function routedAction({ httpStreams }: ProtocolHost, action: ActionDefinition, route: Route): RoutedAction {
  const isMemoryStore = route.path === '/ms' || route.path.startsWith('/ms/');
  // The memory store echoes the controller name that the caller used: over HTTP that is `ms` (MEM-1).
  const controller = isMemoryStore ? 'ms' : action.controller;
  const streams = route.stream === undefined ? undefined : httpStreams?.get(route.stream.protocol);
  return { action, controller, route: route.path, streams };
}
