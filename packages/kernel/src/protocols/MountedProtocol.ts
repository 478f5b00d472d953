import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * How a protocol serves the HTTP server of another application (`Protocol.mounted`). The kernel calls it between the
 * protocol's `start` and the end of its `stop`, for requests under the path at which the application has mounted
 * Millrace. The application keeps its server, sockets and timeouts: a protocol answers requests, and closes only the
 * connections that it has upgraded. A throw is logged and ends that exchange alone.
 */
export interface MountedProtocol {
  /**
   * The path below the mount that belongs to this protocol, such as `/socket.io`. Absent: all paths that no other
   * protocol claims; the first protocol without a path gets them.
   */
  readonly path?: string;
  /**
   * The path of the HTTP port whose upgrades the protocol takes, such as `/_ws`. Absent: it takes none there. The first
   * protocol with a path gets it.
   */
  readonly upgradePath?: string;
  /**
   * Handles a request.
   * @param url path and query string below the mount, starting with `/`; `request.url` is the application's
   */
  request?(request: IncomingMessage, response: ServerResponse, url: string): void;
  /** Handles an upgrade to another protocol. The protocol then owns the socket, including its errors. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}
