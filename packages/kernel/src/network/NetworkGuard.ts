import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { Logger } from '../contracts/runtime/Logger.js';
import { silentLogger } from '../contracts/runtime/silentLogger.js';
import { securityErrors } from '../contracts/security/errors.js';
import type { Security } from '../contracts/security/Security.js';
import type { MaybePromise } from '../concurrency/MaybePromise.js';
import { coreErrors } from '../errors/errors.js';
import { MillraceError } from '../errors/MillraceError.js';
import { andThen } from '../concurrency/andThen.js';
import { parseHostNames } from './hostNames.js';
import { AddressTable } from './AddressTable.js';
import { ForwardedHeaderWatch } from './ForwardedHeaderWatch.js';
import { findForeignHeader } from './findForeignHeader.js';
import { PortConnections, type PortLimits } from './PortConnections.js';
import { TrustedProxies } from './TrustedProxies.js';

/** The parts of a guard; each has a default that restricts nothing. */
export interface NetworkGuardOptions {
  /** Knows whether the server is open. Default: it never is. */
  readonly security?: Pick<Security, 'isOpen'>;
  /** Configuration `http.trustedProxies`. */
  readonly trustedProxies?: string | readonly string[];
  /** Configuration `http.allowedHosts`. */
  readonly allowedHosts?: string | readonly string[];
  /** Maximum number of connections of all ports together. */
  readonly maxConnections?: number;
  readonly log?: Logger;
}

/** The origins whose pages may open a lasting connection. */
export interface HandshakeOrigins {
  /** @returns security.origin_refused (403); undefined: accept */
  refusalOf(headers: IncomingHttpHeaders): MillraceError | undefined;
}

const ASK_INTERVAL_MS = 1_000;
const LOCK_DOWN =
  'create the first administrator (POST /_createFirstAdmin), and pages of all origins that http.cors.origin allows can use it';

/**
 * The part that the entrypoints of a server share (SEC-4, SEC-70): it determines the source of a request, detects
 * requests of foreign pages while the server is open, and limits the number of connections.
 */
export class NetworkGuard {
  private readonly security: Pick<Security, 'isOpen'>;
  private readonly proxies: TrustedProxies;
  private readonly allowedHosts: ReadonlySet<string>;
  private readonly watch: ForwardedHeaderWatch;
  private readonly log: Logger;
  private readonly connections = new AddressTable();
  private readonly ports = new Set<AddressTable>();
  private readonly maxConnections: number;
  /** A server never loses its last administrator: once true, it isn't checked again. */
  private isLocked = false;
  private askAgainAtMs = -Infinity;
  /**
   * `Host` of the last accepted request: on an open server, most requests come from programs, which all send the same
   * one.
   */
  private provenHost: string | undefined;

  constructor(options: NetworkGuardOptions = {}) {
    this.security = options.security ?? { isOpen: () => false };
    this.proxies = new TrustedProxies(options.trustedProxies);
    this.allowedHosts = parseHostNames(options.allowedHosts ?? []) ?? new Set();
    this.log = options.log ?? silentLogger;
    this.watch = new ForwardedHeaderWatch(this.log, !this.proxies.isEmpty);
    this.maxConnections = options.maxConnections ?? Infinity;
  }

  /** Address of the client that sent a request: the socket's peer, or the address that a trusted proxy reports. */
  addressOf(request: IncomingMessage): string {
    const peer = request.socket.remoteAddress ?? '';
    if (!this.proxies.has(peer)) {
      if (this.isLocked) this.watch.observe(peer, request.headers);
      return peer;
    }
    return this.proxies.sourceOf(peer, request.headers).address;
  }

  /**
   * Refuses a request, or the handshake of a lasting connection, if the server is open and a page of a foreign site
   * sent it. To be called before anything else is done with the request. Returns a value at once on a locked server.
   * @returns security.origin_refused (403), to be answered without CORS headers; undefined: continue
   */
  refusalOf(request: IncomingMessage): MaybePromise<MillraceError | undefined> {
    if (this.isLocked) return undefined;
    const { headers, method = '', socket } = request;
    if (this.isProgram(headers)) return this.askNowAndThen();
    const { forwardedHost } = this.proxies.sourceOf(socket.remoteAddress ?? '', headers);
    const { allowedHosts } = this;
    const facts = { method, forwardedHost, allowedHosts, isOwnAddress };
    const header = findForeignHeader(headers, facts);
    if (header === undefined) {
      this.provenHost = headers.host;
      return this.askNowAndThen();
    }
    return andThen(this.isOpen(), (isOpen) => (isOpen ? toRefusal(header) : undefined));
  }

  /**
   * As `refusalOf`, for the handshake of a lasting connection. Never rejects: if it can't determine whether the server
   * is open, it refuses the handshake with that error.
   * @param origins those that may open a WebSocket; absent if CORS applies
   */
  async refusalOfHandshake(request: IncomingMessage, origins?: HandshakeOrigins): Promise<MillraceError | undefined> {
    try {
      return (await this.refusalOf(request)) ?? origins?.refusalOf(request.headers);
    } catch (error) {
      return error instanceof MillraceError ? error : coreErrors.internal({}, { cause: error });
    }
  }

  /** True while anonymous callers may do nearly everything. */
  isOpen(): MaybePromise<boolean> {
    if (this.isLocked) return false;
    return andThen(this.security.isOpen(), (isOpen) => {
      this.isLocked = !isOpen;
      return isOpen;
    });
  }

  /** The connections of a port that an entrypoint is about to open. */
  openPort(limits: PortLimits): PortConnections {
    return new PortConnections(limits, {
      table: this.connections,
      ports: this.ports,
      maxConnections: this.maxConnections,
      isProxy: (address) => this.proxies.has(address),
      log: this.log,
    });
  }

  /** Detail for `server.healthCheck`; undefined if there is nothing to report. */
  get warning(): string | undefined {
    return this.watch.warning;
  }

  /** Whether a request has a `Host` that was accepted before, and no other header to check. */
  private isProgram(headers: IncomingHttpHeaders): boolean {
    if (headers.host !== this.provenHost || !this.proxies.isEmpty) return false;
    const origin = headers.origin ?? headers['sec-websocket-origin'] ?? headers['sec-fetch-site'];
    return origin === undefined;
  }

  /** Checks in the background, so that a server that has been locked in the meantime stops examining headers. */
  private askNowAndThen(): undefined {
    const nowMs = performance.now();
    if (nowMs < this.askAgainAtMs) return;
    this.askAgainAtMs = nowMs + ASK_INTERVAL_MS;
    // If this fails, later calls that need the result will fail too.
    void Promise.resolve()
      .then(() => this.isOpen())
      .catch(() => undefined);
  }
}

function toRefusal(header: string): MillraceError {
  const remedy = header.startsWith('Host ')
    ? `${LOCK_DOWN}; or, if the host is this server's own name, add it to http.allowedHosts`
    : LOCK_DOWN;
  const reason = `the server has no administrator and is open to everyone, so pages of other sites may not use it (${header}). To lock it down, ${remedy}`;
  return securityErrors.origin_refused({ reason });
}

function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => entry.address.split('%')[0] === address),
  );
}
