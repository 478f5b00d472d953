import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { coreErrors, createRequest, errorResponse, type MountedProtocol, type Protocol } from '@millrace/kernel';

/** Handlers for the HTTP server of another application, created by `kernel.mount(path)`. Both may be detached. */
export interface Mount {
  /**
   * Handles requests below the path, as middleware for Express, Connect or Koa's raw objects. Other requests are
   * passed to `next`, or answered with 404 if there is none. Before the kernel has started and after it has stopped:
   * 503.
   */
  readonly request: (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;
  /**
   * Listener for the event `upgrade` of a `node:http` server.
   * @returns false if the upgrade is not below the path; it is then untouched
   */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
}

type Kind = 'request' | 'upgrade';

/**
 * Creates the handlers of a mount. They look up the protocols for each request: a kernel may start later, stop, and
 * restart.
 * @param protocols those of the running server, in order; undefined if none is running
 */
export function createMount(path: string, protocols: () => readonly Protocol[] | undefined): Mount {
  const base = normalisePath(path);
  const find = (kind: Kind, url: string): MountedProtocol | undefined => {
    const taking = (protocols() ?? []).flatMap(({ mounted }) => (mounted?.[kind] === undefined ? [] : [mounted]));
    const owner = taking.find((each) => each.path !== undefined && isBelow(url, each.path));
    return owner ?? taking.find((each) => each.path === undefined);
  };
  return {
    request: (request, response, next) => {
      const url = urlBelow(base, request.url);
      if (url === undefined) {
        if (next === undefined) response.writeHead(404).end();
        else next();
        return;
      }
      const protocol = find('request', url);
      if (protocol?.request === undefined) answerStopping(request, response);
      else protocol.request(request, response, url);
    },
    upgrade: (request, socket, head) => {
      const url = urlBelow(base, request.url);
      if (url === undefined) return false;
      const protocol = find('upgrade', url);
      if (protocol?.upgrade === undefined) {
        // A client that resets its connection here must not crash the process.
        socket.on('error', () => socket.destroy());
        socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\r\n');
      } else protocol.upgrade(request, socket, head);
      return true;
    },
  };
}

/** `api`, `/api` and `/api/` become `/api`; `` and `/` mean the whole server. */
function normalisePath(path: string): string {
  const inner = path.replace(/^\/+|\/+$/g, '');
  if (/[?#*:]/.test(inner)) {
    throw new Error(`Invalid mount path ${JSON.stringify(path)}: expected a plain path such as "/api"`);
  }
  return inner === '' ? '' : `/${inner}`;
}

function isBelow(url: string, path: string): boolean {
  return url.startsWith(path) && ['', '/', '?'].includes(url.charAt(path.length));
}

/** The part of the URL below the mount, starting with `/`. */
function urlBelow(base: string, url = '/'): string | undefined {
  if (!isBelow(url, base) && base !== '') return undefined;
  const below = url.slice(base.length);
  return below.startsWith('/') ? below : `/${below}`;
}

function answerStopping(request: IncomingMessage, response: ServerResponse): void {
  const { remoteAddress = '' } = request.socket;
  const connection = { id: 'mount', protocol: 'http', remoteAddress };
  const { message } = errorResponse(createRequest({}, connection), coreErrors.stopping({}), false);
  const content = Buffer.from(JSON.stringify(message));
  response.writeHead(message.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': content.length,
    'Retry-After': 5,
  });
  response.end(content);
  request.resume();
}
