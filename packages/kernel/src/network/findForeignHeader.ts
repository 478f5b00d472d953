import type { IncomingHttpHeaders } from 'node:http';
import { hostnameOf } from './hostnameOf.js';
import { isLoopback } from './isLoopback.js';

/** Facts about the server and the request that the policy needs in addition to the headers. */
export interface OriginFacts {
  readonly method: string;
  /** `Host` as reported by a trusted proxy. */
  readonly forwardedHost?: string | undefined;
  /** Configuration `http.allowedHosts`, in lower case. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Whether an IP address, IPv6 without brackets, belongs to this machine. */
  isOwnAddress(address: string): boolean;
}

const SHOWN_LENGTH = 100;

/**
 * Decides whether a browser page of a foreign site made a request (SEC-4). A pure function of headers and facts.
 *
 * - `Host` must name this machine. Otherwise the page that sent the request may have resolved its own host name to this
 *   machine (DNS rebinding), which makes it the same origin. This also applies to navigations: a page can read a window
 *   of the same origin.
 * - `Origin` must be loopback, or the host that the request names; ports are ignored, since the protocols of one server
 *   use several. If present, it decides: browsers treat a page on http://localhost:5173 that calls
 *   http://127.0.0.1:7511 as `cross-site`.
 * - Without `Origin`, `Sec-Fetch-Site: cross-site` is foreign, except for a top-level navigation.
 * @returns the header that makes the request foreign, for the message; undefined if it is not foreign
 */
export function findForeignHeader(headers: IncomingHttpHeaders, facts: OriginFacts): string | undefined {
  const ownHosts = [headers.host, facts.forwardedHost].filter((host) => host !== undefined && host !== '') as string[];
  const foreignHost = ownHosts.find((host) => !isAllowedHost(host, facts));
  if (foreignHost !== undefined) return `Host ${shown(foreignHost)}`;
  if (isTopLevelNavigation(headers, facts.method)) return undefined;
  // Version 8 of the WebSocket protocol uses another header name.
  const origin = headers.origin ?? headers['sec-websocket-origin'];
  if (origin !== undefined) {
    const isOwn = typeof origin === 'string' && isOwnOrigin(origin, ownHosts);
    return isOwn ? undefined : `Origin ${shown(String(origin))}`;
  }
  return headers['sec-fetch-site'] === 'cross-site' ? 'Sec-Fetch-Site: cross-site' : undefined;
}

function isAllowedHost(host: string, { allowedHosts, isOwnAddress }: OriginFacts): boolean {
  const name = hostnameOf(host);
  if (name === undefined) return false;
  if (isLoopback(name) || allowedHosts.has(name)) return true;
  return isOwnAddress(name.replace(/^\[(.*)\]$/, '$1'));
}

function isTopLevelNavigation(headers: IncomingHttpHeaders, method: string): boolean {
  const destination = headers['sec-fetch-dest'];
  const isTopLevel = destination === undefined || destination === 'document';
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && isTopLevel;
}

function isOwnOrigin(origin: string, ownHosts: readonly string[]): boolean {
  // `null` is no URL.
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  if (hostname === '') return false;
  return isLoopback(hostname) || ownHosts.some((host) => hostnameOf(host) === hostname);
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, SHOWN_LENGTH));
}
