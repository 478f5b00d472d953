import type { IncomingHttpHeaders } from 'node:http';
import { hostnameOf } from './hostnameOf.js';
import { isLoopback } from './isLoopback.js';

/** What the policy needs to know of the server and of the request, in addition to its headers. */
export interface OriginFacts {
  readonly method: string;
  /** `Host` as a trusted proxy reports it. */
  readonly forwardedHost?: string | undefined;
  /** Configuration `http.allowedHosts`, in lower case. */
  readonly allowedHosts: ReadonlySet<string>;
  /** Whether an IP address, IPv6 without brackets, is one of this machine. */
  isOwnAddress(address: string): boolean;
}

const SHOWN_LENGTH = 100;

/**
 * Decides whether a request was made by a browser page of a foreign site (SEC-4). A pure function of headers and facts.
 *
 * - `Host` must name this machine. Otherwise the page that sent the request may have had its own name resolve to this
 *   machine (DNS rebinding), which makes it the same origin. This holds for navigations too: a page can read a window of
 *   its own origin.
 * - `Origin` must be loopback, or the host that the request names; ports don't count, for the protocols of one server
 *   have several. It decides where it is present: a page on http://localhost:5173 that calls http://127.0.0.1:7511 is
 *   `cross-site` to browsers.
 * - Without `Origin`, `Sec-Fetch-Site: cross-site` is foreign, but for a top-level navigation.
 * @returns the header that makes it foreign, for the message; undefined where it is not
 */
export function findForeignHeader(
  headers: IncomingHttpHeaders,
  facts: OriginFacts,
): string | undefined {
  const ownHosts = [headers.host, facts.forwardedHost].filter((host) => host !== undefined && host !== '') as string[]; // prettier-ignore
  const foreignHost = ownHosts.find((host) => !isAllowedHost(host, facts));
  if (foreignHost !== undefined) return `Host ${shown(foreignHost)}`;
  if (isTopLevelNavigation(headers, facts.method)) return undefined;
  // Version 8 of the WebSocket protocol calls the header differently.
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
